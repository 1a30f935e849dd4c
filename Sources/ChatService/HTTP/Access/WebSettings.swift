// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import Foundation

/// What each browser keeps here for itself, in the profile's folder `web`; what is announced is the core's matter.
final class WebSettingsFile: Sendable {
    /// Values that one browser keeps here, and bytes of a name or a value.
    static let browserLimit = 64
    static let valueBytes = 500

    struct Content: Hashable, Codable, Sendable {
        /// Names and values that the app gave, by session.
        var browsers: [String: [String: String]] = [:]
    }

    let path: String
    private let state: Locked<Content>
    /// One change at a time; held while the disk is waited for, which `state` is not.
    private let turn = Locked(())

    /// What cannot be read gives the defaults: nothing in here is worth a service that does not start.
    init(folder: String) {
        path = folder + "/settings.json"
        let data = FileManager.default.contents(atPath: path) ?? Data()
        state = Locked((try? JSONDecoder().decode(Content.self, from: data)) ?? Content())
    }

    func browser(_ session: String) -> [String: String] { state.withLock { $0.browsers[session] ?? [:] } }

    /// Changes them, durably; browsers that are not signed in any more are forgotten.
    ///
    /// Blocks until it is done.
    func change(
        keeping sessions: Set<String>, _ body: (inout Content) throws(ChatAPIError) -> Void
    ) throws(ChatAPIError) {
        try turn.withLock { (_) throws(ChatAPIError) in
            let before = state.withLock { $0 }
            var changed = before
            try body(&changed)
            changed.browsers = changed.browsers.filter { sessions.contains($0.key) && !$0.value.isEmpty }
            guard changed != before else { return }
            try write(changed)
            let kept = changed
            state.withLock { $0 = kept }
        }
    }

    /// Writes the file anew, with nothing in it that is not kept here any more.
    func rewrite() throws(ChatAPIError) {
        try turn.withLock { (_) throws(ChatAPIError) in try write(state.withLock { $0 }) }
    }

    private func write(_ content: Content) throws(ChatAPIError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let data = try? encoder.encode(content) else { throw ChatAPIError(.fault, "no JSON") }
        try WebAccessFile.replace(path, with: Array(data))
    }
}
