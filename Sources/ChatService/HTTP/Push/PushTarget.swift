// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ChatAPI
import Foundation

/// Where one browser gets its notifications, and the keys that only it can read them with.
struct PushTarget: Hashable, Codable, Sendable {
    /// The session that subscribed.
    var session: String
    /// A URL of the push service that the browser chose.
    var endpoint: String
    /// The browser's point and its secret, as bytes in URL-safe base64.
    var point: String
    var secret: String

    /// Checks what a browser says of itself.
    ///
    /// Whatever is given here is called by the service later on: it must be `https`, and no address inside of the
    /// user's own network. The name is looked at now, the addresses that it has each time before it is called.
    init(
        session: String, endpoint: String, point: String, secret: String, permitsLocal: Bool
    ) throws(ChatAPIError) {
        guard endpoint.utf8.count <= 2048, let url = URL(string: endpoint), let host = url.host, !host.isEmpty,
            url.user == nil, url.password == nil, url.fragment == nil,
            url.scheme == "https" || (permitsLocal && url.scheme == "http")
        else { throw ChatAPIError(.invalidArgument, "the address of the push service is no https URL") }
        guard let bytes = decodeBase64url(point), bytes.count == 65, let key = decodeBase64url(secret), key.count == 16,
            SigningKey.make()?.agree(with: bytes) != nil
        else { throw ChatAPIError(.invalidArgument, "the keys of the subscription are none") }
        self.session = session
        self.endpoint = endpoint
        self.point = point
        self.secret = secret
    }

    /// The scheme, host and port of the push service, as its tokens name it.
    var origin: String? {
        guard let url = URL(string: endpoint), let scheme = url.scheme, let host = url.host else { return nil }
        return "\(scheme)://\(host)" + (url.port.map { ":\($0)" } ?? "")
    }
}

/// What a notification tells; short, for a push service carries four kilobytes.
struct PushNote: Hashable, Codable, Sendable {
    var type = "message"
    var account: String
    var conversation: String
    /// Whom it is from, as people call them.
    var name: String?
    var body: String
    /// `MessageItem.id`.
    var message: String
    var unread: Int

    /// Bytes of the text that are told.
    static let bodyBytes = 600

    /// The text cut to whole characters.
    static func shortened(_ text: String) -> String {
        var short = ""
        for character in text {
            guard short.utf8.count + String(character).utf8.count <= bodyBytes else { return short + "…" }
            short.append(character)
        }
        return short
    }
}
