// SPDX-License-Identifier: Apache-2.0

extension DateTime {
    /// `CCYY-MM-DDThh:mm:ss[.s…][Z|±hh:mm]` (XEP-0082 §3.2).
    package init?(extended bytes: UnsafeBufferPointer<UInt8>) {
        var reader = StampReader(bytes)
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
            reader.take("-"), let day = reader.number(digits: 2), reader.take("T"),
            let time = reader.timeOfDay(), let offset = reader.zone(), reader.isAtEnd
        else { return nil }
        self.init(year: year, month: month, day: day, time: time, offset: offset)
    }

    /// `CCYYMMDDThh:mm:ss[.s…][Z]` (XEP-0091 §4).
    package init?(compact bytes: UnsafeBufferPointer<UInt8>) {
        var reader = StampReader(bytes)
        guard let year = reader.number(digits: 4), let month = reader.number(digits: 2),
            let day = reader.number(digits: 2), reader.take("T"), let time = reader.timeOfDay()
        else { return nil }
        _ = reader.take("Z")
        guard reader.isAtEnd else { return nil }
        self.init(year: year, month: month, day: day, time: time, offset: 0)
    }

    private init?(year: Int64, month: Int64, day: Int64, time: (seconds: Int64, nanoseconds: Int32), offset: Int64) {
        guard (1...12).contains(month), day >= 1, day <= DateTime.days(inMonth: month, year: year) else { return nil }
        let seconds = DateTime.days(year: year, month: month, day: day) * 86_400 + time.seconds - offset
        // An offset can move the first and the last day out of the calendar.
        guard (DateTime.earliestSecond...DateTime.latestSecond).contains(seconds) else { return nil }
        self.init(seconds: seconds, nanoseconds: time.nanoseconds)
    }

    /// The offset of a `<tzo/>` in seconds east of UTC: `Z` or `±hh:mm` (XEP-0082 §2, XEP-0202).
    package static func zoneOffset(_ text: String) -> Int? {
        var text = text
        return text.withUTF8 { bytes in
            var reader = StampReader(bytes)
            guard !bytes.isEmpty, let offset = reader.zone(), reader.isAtEnd else { return nil }
            return Int(offset)
        }
    }
}

/// Reads digits and signs from the front of a stamp; no number has enough digits to overflow.
private struct StampReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func take(_ expected: Unicode.Scalar) -> Bool {
        guard let next, UInt32(next) == expected.value else { return false }
        index += 1
        return true
    }

    private mutating func digit() -> Int64? {
        guard let next, next >= 0x30, next <= 0x39 else { return nil }
        index += 1
        return Int64(next - 0x30)
    }

    mutating func number(digits count: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// `hh:mm:ss[.s…]`; a leap second is the first second of the next minute.
    mutating func timeOfDay() -> (seconds: Int64, nanoseconds: Int32)? {
        guard let hour = number(digits: 2), hour <= 23, take(":"), let minute = number(digits: 2), minute <= 59,
            take(":"), let second = number(digits: 2), second <= 60
        else { return nil }
        var nanoseconds: Int64 = 0
        if take(".") {
            guard let first = digit() else { return nil }
            nanoseconds = first * 100_000_000
            var unit: Int64 = 10_000_000
            while let digit = digit() {
                nanoseconds += digit * unit
                unit /= 10
            }
        }
        return (hour * 3600 + minute * 60 + second, Int32(truncatingIfNeeded: nanoseconds))
    }

    /// `Z`, `±hh:mm`, or nothing for UTC; seconds east.
    mutating func zone() -> Int64? {
        if isAtEnd || take("Z") { return 0 }
        let sign: Int64 = take("-") ? -1 : 1
        guard sign < 0 || take("+") else { return nil }
        guard let hour = number(digits: 2), take(":"), let minute = number(digits: 2), minute <= 59 else { return nil }
        // Offsets reach 14 hours (XML Schema part 2 §3.2.7.3).
        guard hour * 60 + minute <= 14 * 60 else { return nil }
        return sign * (hour * 3600 + minute * 60)
    }
}
