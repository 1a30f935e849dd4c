// SPDX-License-Identifier: Apache-2.0

/// A moment as XMPP writes it: seconds and nanoseconds in UTC (XEP-0082).
///
/// Covers the years 0000 to 9999 and keeps up to nine digits of a fraction exactly; further digits are cut off.
public struct DateTime: Hashable, Sendable {
    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    public let seconds: Int64
    /// Nanoseconds after ``seconds``, from 0 to 999 999 999.
    public let nanoseconds: Int32

    /// Makes a moment from seconds since 1970; what lies outside the years 0000 to 9999 moves to their edge.
    ///
    /// - Parameters:
    ///   - seconds: Whole seconds since 1970-01-01T00:00:00Z.
    ///   - nanoseconds: Nanoseconds after that; held to 0…999 999 999. Defaults to 0.
    public init(seconds: Int64, nanoseconds: Int32 = 0) {
        if seconds < DateTime.earliestSecond {
            self.seconds = DateTime.earliestSecond
            self.nanoseconds = 0
        } else if seconds > DateTime.latestSecond {
            self.seconds = DateTime.latestSecond
            self.nanoseconds = 999_999_999
        } else {
            self.seconds = seconds
            self.nanoseconds = min(max(nanoseconds, 0), 999_999_999)
        }
    }

    /// Reads a stamp of XEP-0082 §3.2, as in `2031-03-04T05:06:07.25Z` or with an offset such as `+05:30`.
    ///
    /// Any number of fraction digits is taken. A stamp without zone is read as UTC: old software leaves the `Z` out.
    /// - Parameter text: The stamp, without surrounding white space.
    /// - Returns: nil when the text has another form or names no day or time of the calendar.
    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ DateTime(extended: $0) }) else { return nil }
        self = value
    }

    /// Reads a stamp of the legacy form of XEP-0091 §4, as in `20310304T05:06:07`, always in UTC.
    ///
    /// A fraction and a final `Z`, which some servers add, are taken too.
    /// - Parameter text: The stamp, without surrounding white space.
    /// - Returns: nil when the text has another form or names no day or time of the calendar.
    public init?(legacy text: String) {
        var text = text
        guard let value = text.withUTF8({ DateTime(compact: $0) }) else { return nil }
        self = value
    }

    static let earliestSecond = -secondsFrom0000To1970
    static let latestSecond: Int64 = 253_402_300_799
    static let secondsFrom0000To1970: Int64 = 62_167_219_200
}

extension DateTime: Comparable {
    /// Orders by time.
    public static func < (left: DateTime, right: DateTime) -> Bool {
        (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
    }
}

extension DateTime: Codable {
    /// Reads one string in the form of ``description``.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = DateTime(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a stamp of XEP-0082")
        }
        self = value
    }

    /// Writes one string in the form of ``description``.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
