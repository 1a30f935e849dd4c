// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import Foundation

/// What the user wants of every browser, and what each browser wants for itself; in the profile's folder `web`.
struct WebSettings: Hashable, Codable, Sendable {
    /// How much of a message a notification shows.
    enum Previews: String, Hashable, Codable, Sendable {
        case all, name, none
    }

    /// What becomes of messages of people who are no contacts.
    enum Strangers: String, Hashable, Codable, Sendable {
        case silent, notify
    }

    var previews = Previews.all
    var strangers = Strangers.silent
    /// Times of the day as `22:00`; both or neither.
    var quietFrom: String?
    var quietUntil: String?
    /// Whose day it is, as `Asia/Taipei`; the service's own when nothing is said.
    var timeZone: String?

    private enum CodingKeys: String, CodingKey {
        case previews, strangers
        case quietFrom = "quiet_from"
        case quietUntil = "quiet_until"
        case timeZone = "time_zone"
    }

    /// Whether nothing is to be heard at a time.
    func isQuiet(at time: Timestamp) -> Bool {
        guard let from = quietFrom.flatMap(Self.minutes), let until = quietUntil.flatMap(Self.minutes), from != until
        else { return false }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone.flatMap { TimeZone(identifier: $0) } ?? .current
        let parts = calendar.dateComponents([.hour, .minute], from: Date(time))
        let now = (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
        return from < until ? from <= now && now < until : now >= from || now < until
    }

    /// Minutes since midnight of `22:05`.
    static func minutes(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy(\.isASCII) }),
            let hour = Int(parts[0]), let minute = Int(parts[1]), (0...23).contains(hour), (0...59).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }
}

/// The file of the settings.
final class WebSettingsFile: Sendable {
    /// Values that one browser keeps here, and bytes of a name or a value.
    static let browserLimit = 64
    static let valueBytes = 500

    struct Content: Hashable, Codable, Sendable {
        var settings = WebSettings()
        /// Names and values that the app gave, by session.
        var browsers: [String: [String: String]] = [:]
    }

    private let path: String
    private let state: Locked<Content>

    /// What cannot be read gives the defaults: nothing in here is worth a service that does not start.
    init(folder: String) {
        path = folder + "/settings.json"
        let data = FileManager.default.contents(atPath: path) ?? Data()
        state = Locked((try? JSONDecoder().decode(Content.self, from: data)) ?? Content())
    }

    var settings: WebSettings { state.withLock { $0.settings } }

    func browser(_ session: String) -> [String: String] { state.withLock { $0.browsers[session] ?? [:] } }

    /// Changes them, durably; browsers that are not signed in any more are forgotten.
    func change(
        keeping sessions: Set<String>, _ body: (inout Content) throws(ChatAPIError) -> Void
    ) throws(ChatAPIError) {
        try state.withLock { (content) throws(ChatAPIError) in
            var changed = content
            try body(&changed)
            changed.browsers = changed.browsers.filter { sessions.contains($0.key) && !$0.value.isEmpty }
            guard changed != content else { return }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            guard let data = try? encoder.encode(changed) else { throw ChatAPIError(.fault, "no JSON") }
            try WebAccessFile.replace(path, with: Array(data))
            content = changed
        }
    }
}
