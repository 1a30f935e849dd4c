// SPDX-License-Identifier: Apache-2.0
import struct Foundation.TimeZone

/// What of all that comes in is announced, on every face; each conversation has its level beside it.
package struct NotificationSettings: Hashable, Codable, Sendable {
    /// How much of a message is shown.
    package enum Previews: String, Hashable, Codable, Sendable, CaseIterable {
        /// Who wrote, and what.
        case all
        /// Who wrote.
        case name
        /// That something came.
        case none
    }

    package var isOn: Bool
    package var previews: Previews
    /// Whether messages of people who are no contacts are announced.
    package var strangers: Bool
    /// Whether somebody who asks to see the user's presence is announced.
    package var requests: Bool
    /// Times of the day as `22:00`; both or neither.
    package var quietFrom: String?
    package var quietUntil: String?
    /// Whose day it is, as `Asia/Taipei`; the machine's own when nothing is said.
    package var timeZone: String?
    /// A message with one of these words counts as one that names the user.
    package var keywords: [String]

    package init(
        isOn: Bool = true, previews: Previews = .all, strangers: Bool = false, requests: Bool = true,
        quietFrom: String? = nil, quietUntil: String? = nil, timeZone: String? = nil, keywords: [String] = []
    ) {
        self.isOn = isOn
        self.previews = previews
        self.strangers = strangers
        self.requests = requests
        self.quietFrom = quietFrom
        self.quietUntil = quietUntil
        self.timeZone = timeZone
        self.keywords = keywords
    }

    /// Keywords that are kept, and characters of one.
    private static let maximumKeywords = 50
    private static let keywordLength = 100

    /// Refuses what cannot be followed.
    package func check() throws(ChatAPIError) {
        guard (quietFrom == nil) == (quietUntil == nil) else {
            throw ChatAPIError(.invalidArgument, "quiet hours have a beginning and an end")
        }
        for time in [quietFrom, quietUntil].compactMap(\.self) where Self.minutes(time) == nil {
            throw ChatAPIError(.invalidArgument, "a time of the day is written as 22:00")
        }
        if let timeZone, TimeZone(identifier: timeZone) == nil {
            throw ChatAPIError(.invalidArgument, "there is no such time zone", hint: "it is written as Asia/Taipei")
        }
        guard keywords.count <= Self.maximumKeywords,
            keywords.allSatisfy({ !$0.isEmpty && $0.count <= Self.keywordLength })
        else {
            throw ChatAPIError(
                .invalidArgument, "there are at most \(Self.maximumKeywords) keywords, each a short text")
        }
    }

    /// Minutes since midnight of `22:05`.
    package static func minutes(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isASCII) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), (0...23).contains(hour), (0...59).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }

    private enum CodingKeys: String, CodingKey {
        case isOn = "on"
        case previews, strangers, requests, keywords
        case quietFrom = "quiet_from"
        case quietUntil = "quiet_until"
        case timeZone = "time_zone"
    }
}

/// Asks for what is announced, or changes it.
package struct NotificationsRequest: Hashable, Codable, Sendable {
    /// All of it as it is to be; nil only asks.
    package var settings: NotificationSettings?

    package init(settings: NotificationSettings? = nil) { self.settings = settings }
}
