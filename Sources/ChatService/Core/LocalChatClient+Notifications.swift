// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit

extension LocalChatClient {
    package nonisolated func notifications(
        _ request: NotificationsRequest
    ) async throws(ChatAPIError) -> NotificationSettings {
        let wanted = try request.settings.map { settings throws(ChatAPIError) in try NotificationRules(settings) }
        return try await asking { () async throws(ChatError) in
            if let wanted { try await core.setNotificationRules(wanted) }
            return NotificationSettings(try await core.notificationRules())
        }
    }
}

extension NotificationSettings {
    init(_ rules: NotificationRules) {
        self.init(
            isOn: rules.isOn, previews: Previews(rules.previews), strangers: rules.announcesStrangers,
            requests: rules.announcesRequests, quietFrom: rules.quietHours.map { Self.time($0.begin) },
            quietUntil: rules.quietHours.map { Self.time($0.end) }, timeZone: rules.timeZone, keywords: rules.keywords)
    }

    /// `22:05` of minutes since midnight.
    private static func time(_ minutes: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return two(minutes / 60) + ":" + two(minutes % 60)
    }
}

extension NotificationSettings.Previews {
    init(_ previews: NotificationRules.Previews) {
        switch previews {
        case .all: self = .all
        case .name: self = .name
        case .none: self = .none
        }
    }
}

extension NotificationRules {
    init(_ settings: NotificationSettings) throws(ChatAPIError) {
        try settings.check()
        self.init()
        isOn = settings.isOn
        previews =
            switch settings.previews {
            case .all: .all
            case .name: .name
            case .none: .none
            }
        (announcesStrangers, announcesRequests) = (settings.strangers, settings.requests)
        if let begin = settings.quietFrom.flatMap(NotificationSettings.minutes),
            let end = settings.quietUntil.flatMap(NotificationSettings.minutes)
        {
            quietHours = QuietHours(begin: begin, end: end)
        }
        timeZone = settings.timeZone
        keywords = settings.keywords
    }
}
