// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation

extension WebRoutes {
    static let settings: [WebRoute] = [
        WebRoute(.get, "settings") { (service, call) throws(ChatAPIError) in
            .json(200, SettingsReply(service, call.session?.id ?? ""))
        },
        WebRoute(.patch, "settings") { (service, call) throws(ChatAPIError) in
            let body = try call.decode(SettingsBody.self)
            let session = call.session?.id ?? ""
            let sessions = Set(try service.access.read().sessions.map(\.id))
            let before = service.settings.settings
            try service.settings.change(keeping: sessions) { (content) throws(ChatAPIError) in
                try body.apply(to: &content.settings)
                try body.apply(to: &content.browsers[session, default: [:]])
            }
            if service.settings.settings != before { service.streams.tell("settings") }
            return .json(200, SettingsReply(service, session))
        },
    ]

    /// What bodies are read as.
    static var settingsBodies: [any Decodable.Type] { [SettingsBody.self] }
}

private struct SettingsReply: Encodable {
    let settings: WebSettings
    let browser: [String: String]

    init(_ service: WebService, _ session: String) {
        settings = service.settings.settings
        browser = service.settings.browser(session)
    }

    private enum CodingKeys: String, CodingKey { case browser }

    func encode(to encoder: any Encoder) throws {
        try settings.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(browser, forKey: .browser)
    }
}

/// What is absent stays; null goes.
private struct SettingsBody: Decodable {
    var previews: WebSettings.Previews?
    var strangers: WebSettings.Strangers?
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
        previews = try values.decodeIfPresent(WebSettings.Previews.self, forKey: .previews)
        strangers = try values.decodeIfPresent(WebSettings.Strangers.self, forKey: .strangers)
        quietFrom = try text(.quietFrom)
        quietUntil = try text(.quietUntil)
        timeZone = try text(.timeZone)
        browser = try values.decodeIfPresent([String: String?].self, forKey: .browser) ?? [:]
    }

    func apply(to settings: inout WebSettings) throws(ChatAPIError) {
        if let previews { settings.previews = previews }
        if let strangers { settings.strangers = strangers }
        if let quietFrom { settings.quietFrom = quietFrom }
        if let quietUntil { settings.quietUntil = quietUntil }
        if let timeZone { settings.timeZone = timeZone }
        for time in [settings.quietFrom, settings.quietUntil].compactMap(\.self) {
            guard WebSettings.minutes(time) != nil else {
                throw ChatAPIError(.invalidArgument, "a time of the day is written as 22:00")
            }
        }
        if let zone = settings.timeZone, TimeZone(identifier: zone) == nil {
            throw ChatAPIError(.invalidArgument, "there is no such time zone", hint: "it is written as Asia/Taipei")
        }
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
