// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import Foundation

extension WebRoutes {
    static let settings: [WebRoute] = [
        WebRoute(.get, "settings") { (service, call) async throws(ChatAPIError) in
            .json(200, SettingsReply(try await service.client.notifications(NotificationsRequest()), service, call))
        },
        WebRoute(.patch, "settings") { (service, call) async throws(ChatAPIError) in
            let body = try call.decode(SettingsBody.self)
            let session = call.session?.id ?? ""
            let sessions = Set(try service.access.read().sessions.map(\.id))
            // Both or neither.
            var probe = service.settings.browser(session)
            try body.apply(to: &probe)
            let before = try await service.client.notifications(NotificationsRequest())
            var settings = before
            body.apply(to: &settings)
            if settings != before {
                settings = try await service.client.notifications(NotificationsRequest(settings: settings))
                service.streams.tell("settings")
            }
            let file = service.settings
            try await BlockingQueue.shared.run { () throws(ChatAPIError) in
                try file.change(keeping: sessions) { (content) throws(ChatAPIError) in
                    try body.apply(to: &content.browsers[session, default: [:]])
                }
            }
            return .json(200, SettingsReply(settings, service, call))
        },
    ]

    /// What bodies are read as.
    static var settingsBodies: [any Decodable.Type] { [SettingsBody.self] }
}

private struct SettingsReply: Encodable {
    let previews: NotificationSettings.Previews
    let strangers: Strangers
    let quietFrom: String?
    let quietUntil: String?
    let timeZone: String?
    let browser: [String: String]

    init(_ settings: NotificationSettings, _ service: WebService, _ call: WebCall) {
        (previews, strangers) = (settings.previews, settings.strangers ? .notify : .silent)
        (quietFrom, quietUntil, timeZone) = (settings.quietFrom, settings.quietUntil, settings.timeZone)
        browser = service.settings.browser(call.session?.id ?? "")
    }

    private enum CodingKeys: String, CodingKey {
        case previews, strangers, browser
        case quietFrom = "quiet_from"
        case quietUntil = "quiet_until"
        case timeZone = "time_zone"
    }
}

/// What becomes of messages of people who are no contacts.
private enum Strangers: String, Codable { case silent, notify }

/// What is absent stays; null goes.
private struct SettingsBody: Decodable, Sendable {
    var previews: NotificationSettings.Previews?
    var strangers: Strangers?
    var quietFrom: String??
    var quietUntil: String??
    var timeZone: String??
    var browser: [String: String?]

    private enum CodingKeys: String, CodingKey {
        case previews, strangers, browser
        case quietFrom = "quiet_from"
        case quietUntil = "quiet_until"
        case timeZone = "time_zone"
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String?? {
            values.contains(key) ? .some(try values.decodeIfPresent(String.self, forKey: key)) : nil
        }
        previews = try values.decodeIfPresent(NotificationSettings.Previews.self, forKey: .previews)
        strangers = try values.decodeIfPresent(Strangers.self, forKey: .strangers)
        quietFrom = try text(.quietFrom)
        quietUntil = try text(.quietUntil)
        timeZone = try text(.timeZone)
        browser = try values.decodeIfPresent([String: String?].self, forKey: .browser) ?? [:]
    }

    /// Quiet hours of which one end is given have another one, too; without one of them there are none.
    func apply(to settings: inout NotificationSettings) {
        if let previews { settings.previews = previews }
        if let strangers { settings.strangers = strangers == .notify }
        if let timeZone { settings.timeZone = timeZone }
        if case .some(nil) = quietFrom { (settings.quietFrom, settings.quietUntil) = (nil, nil) }
        if case .some(nil) = quietUntil { (settings.quietFrom, settings.quietUntil) = (nil, nil) }
        if let from = quietFrom ?? nil { settings.quietFrom = from }
        if let until = quietUntil ?? nil { settings.quietUntil = until }
        if settings.quietFrom != nil, settings.quietUntil == nil { settings.quietUntil = "07:00" }
        if settings.quietUntil != nil, settings.quietFrom == nil { settings.quietFrom = "22:00" }
    }

    func apply(to values: inout [String: String]) throws(ChatAPIError) {
        for (name, value) in browser {
            guard !name.isEmpty else { throw ChatAPIError(.invalidArgument, "a value has a name") }
            guard name.utf8.count <= WebSettingsFile.valueBytes,
                (value ?? "").utf8.count <= WebSettingsFile.valueBytes
            else { throw ChatAPIError(.tooLarge, "a value of a browser is a short text with a name") }
            values[name] = value
        }
        guard values.count <= WebSettingsFile.browserLimit else {
            throw ChatAPIError(.tooLarge, "a browser keeps at most \(WebSettingsFile.browserLimit) values here")
        }
    }
}
