// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation

/// What the file of the settings held before the core had the rules of what is announced.
private struct FormerSettings: Decodable {
    struct Rules: Decodable {
        let previews: String?
        let strangers: String?
        let quietFrom: String?
        let quietUntil: String?
        let timeZone: String?

        private enum CodingKeys: String, CodingKey {
            case previews, strangers
            case quietFrom = "quiet_from"
            case quietUntil = "quiet_until"
            case timeZone = "time_zone"
        }

        /// In the words of today; what those would refuse is as in new ones.
        var settings: NotificationSettings {
            var settings = NotificationSettings(
                previews: previews.flatMap(NotificationSettings.Previews.init) ?? .all,
                strangers: strangers == "notify",
                quietFrom: quietFrom, quietUntil: quietUntil, timeZone: timeZone)
            if (try? settings.check()) == nil {
                (settings.quietFrom, settings.quietUntil, settings.timeZone) = (nil, nil, nil)
            }
            return settings
        }
    }

    let settings: Rules
}

extension WebSettingsFile {
    /// Gives rules of what is announced that an earlier version kept in this file to the core, once; rules that the core has
    /// already stay.
    func handOver(to client: any ChatClient) async throws(ChatAPIError) {
        guard let data = FileManager.default.contents(atPath: path),
            let former = try? JSONDecoder().decode(FormerSettings.self, from: data)
        else { return }
        let settings = former.settings.settings
        let known = try await client.notifications(NotificationsRequest())
        if known == NotificationSettings(), settings != known {
            _ = try await client.notifications(NotificationsRequest(settings: settings))
        }
        try rewrite()
    }
}
