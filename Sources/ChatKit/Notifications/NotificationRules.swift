// SPDX-License-Identifier: Apache-2.0
public import struct Foundation.Calendar
public import struct Foundation.Date
public import struct Foundation.TimeZone

/// What of all that comes in is announced, for the profile as a whole; each conversation has its level beside it.
public struct NotificationRules: Hashable, Codable, Sendable {
    /// A part of each day, such as 22:00 to 7:00.
    public struct QuietHours: Hashable, Codable, Sendable {
        /// Minutes since midnight at which it begins, 0 to 1439.
        public var begin: Int
        /// Minutes since midnight at which it ends; before ``begin`` when it lasts over midnight.
        public var end: Int

        /// Makes a part of the day; minutes outside of a day are taken as the nearest one in it.
        public init(begin: Int, end: Int) {
            self.begin = min(max(begin, 0), 1439)
            self.end = min(max(end, 0), 1439)
        }

        /// Whether a minute of the day lies in it; one that ends where it begins holds none.
        public func contains(minute: Int) -> Bool {
            begin <= end ? (begin..<end).contains(minute) : minute >= begin || minute < end
        }
    }

    /// How much of a message an announcement shows.
    public enum Previews: String, Hashable, Codable, Sendable, CaseIterable {
        /// Who wrote, and what.
        case all
        /// Who wrote.
        case name
        /// That something came.
        case none
    }

    /// Whether anything is announced.
    public var isOn = true
    /// When nothing is announced, but still counted; nil for never.
    public var quietHours: QuietHours?
    /// Whose day it is, as `Asia/Taipei`; nil, or a name that nobody knows, for that of the machine.
    public var timeZone: String?
    /// Whether messages of people who are no contacts, and whom the user never wrote to, are announced and counted; they are
    /// kept apart in any case.
    ///
    /// Defaults to false.
    public var announcesStrangers = false
    /// Whether somebody who asks to see the user's presence is announced.
    public var announcesRequests = true
    /// How much of a message its announcement shows.
    ///
    /// Defaults to ``Previews/all``.
    public var previews = Previews.all
    /// A message with one of these words, in whatever case, counts as one that names the user.
    public var keywords: [String] = []

    /// Announces everything but strangers, at any time.
    public init() {}

    /// A delayed message that is older than this, in seconds, is not announced: it is history.
    public static let maximumAge = 24.0 * 60 * 60

    /// Why a message is announced; nil for one that is not.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - conversation: The conversation as it is now, with the message in it.
    ///   - date: The moment.
    ///   - calendar: Says what time of day that is.
    public func reason(
        for message: ChatMessage, in conversation: Conversation, at date: Date, calendar: Calendar = .current
    ) -> ChatNotification.Reason? {
        guard isOn, message.direction == .incoming, message.peer != message.account, message.retracted == nil,
            !message.body.isEmpty || !message.files.isEmpty, conversation.unread > 0, !isQuiet(at: date, calendar),
            announcesStrangers || !conversation.isStranger,
            !message.isDelayed || date.timeIntervalSince(message.sent) < Self.maximumAge,
            !conversation.isMuted(at: date)
        else { return nil }
        if message.isMention || keywords.contains(where: { AccountSessionStore.names($0, in: message.body) }) {
            return .mention
        }
        return conversation.level == .all ? .message : nil
    }

    /// How many messages the user has to look at, for a number on an icon.
    public func badge(_ conversations: [Conversation], at date: Date) -> Int {
        conversations.reduce(0) { sum, conversation in
            if conversation.isMuted(at: date) || !announcesStrangers && conversation.isStranger { return sum }
            return sum + (conversation.level == .mentions ? conversation.mentions : conversation.unread)
        }
    }

    /// Whether nothing is announced at a moment.
    func isQuiet(at date: Date, _ calendar: Calendar) -> Bool {
        guard let quietHours else { return false }
        var calendar = calendar
        if let zone = timeZone.flatMap({ TimeZone(identifier: $0) }) { calendar.timeZone = zone }
        let parts = calendar.dateComponents([.hour, .minute], from: date)
        return quietHours.contains(minute: (parts.hour ?? 0) * 60 + (parts.minute ?? 0))
    }

    private enum CodingKeys: String, CodingKey {
        case isOn = "on"
        case quietHours = "quiet_hours"
        case announcesStrangers = "strangers"
        case announcesRequests = "requests"
        case timeZone = "time_zone"
        case previews, keywords
    }

    /// Reads rules; what is not said is as in new ones.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        isOn = try values.decodeIfPresent(Bool.self, forKey: .isOn) ?? true
        quietHours = try values.decodeIfPresent(QuietHours.self, forKey: .quietHours)
            .map { QuietHours(begin: $0.begin, end: $0.end) }
        announcesStrangers = try values.decodeIfPresent(Bool.self, forKey: .announcesStrangers) ?? false
        announcesRequests = try values.decodeIfPresent(Bool.self, forKey: .announcesRequests) ?? true
        timeZone = try values.decodeIfPresent(String.self, forKey: .timeZone)
        previews = try values.decodeIfPresent(Previews.self, forKey: .previews) ?? .all
        keywords = try values.decodeIfPresent([String].self, forKey: .keywords) ?? []
    }
}
