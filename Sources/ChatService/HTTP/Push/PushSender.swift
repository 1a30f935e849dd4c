// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import ChatAPI
import Foundation

/// Sends notifications to browsers that have no page open.
final class PushSender: Sendable {
    /// What became of one notification.
    enum Outcome: Hashable, Sendable {
        case taken
        /// The browser does not want any more; it was forgotten.
        case gone
        case failed(String)
    }

    /// How long a push service keeps what it cannot deliver, in seconds.
    static let keepsFor = 24 * 3600

    let store: PushStore
    private let contact: String
    /// Push services on this machine are allowed, without TLS: for tests alone.
    let permitsLocal: Bool

    init(store: PushStore, contact: String, permitsLocal: Bool) {
        self.store = store
        self.contact = contact
        self.permitsLocal = permitsLocal
    }

    /// Encrypts, signs and posts one notification.
    func send(_ note: PushNote, to target: PushTarget) async -> Outcome {
        guard let key = try? store.key(), let request = request(note, target, key) else { return .failed("no request") }
        let response: HTTPResponse
        do throws(TransportError) {
            response = try await HTTPClient.shared.send(request)
        } catch {
            return .failed(error.description)
        }
        switch response.status {
        case 200...299: return .taken
        case 404, 410:
            try? await store.apart { (store) throws(ChatAPIError) in try store.remove(endpoint: target.endpoint) }
            return .gone
        default: return .failed("the push service answered \(response.status)")
        }
    }

    func request(_ note: PushNote, _ target: PushTarget, _ key: SigningKey) -> HTTPRequest? {
        let expires = Timestamp.now.milliseconds / 1000 + 12 * 3600
        guard let origin = target.origin, let point = decodeBase64url(target.point),
            let secret = decodeBase64url(target.secret), let data = try? JSONEncoder().encode(note),
            let body = PushEncryption.encrypt(Array(data), receiver: point, secret: secret),
            let authorization = PushIdentity(key: key, contact: contact).authorization(origin: origin, expires: expires)
        else { return nil }
        // What is newer about the same conversation takes the place of what still waits.
        let topic = base64url(Array(digest(.sha256, Array("\(note.account) \(note.conversation)".utf8)).prefix(18)))
        var request = HTTPRequest(target.endpoint)
        request.method = .post(HTTPBody(body))
        request.headers = [
            ("Content-Type", "application/octet-stream"), ("Content-Encoding", "aes128gcm"),
            ("TTL", "\(Self.keepsFor)"), ("Urgency", "high"), ("Topic", topic), ("Authorization", authorization),
        ]
        request.maximumBytes = 64 * 1024
        request.maximumRedirects = 0
        request.permitsUnencrypted = permitsLocal
        let permitsLocal = permitsLocal
        // Asked with the address itself, so that a name cannot lead elsewhere between the question and the call.
        request.allowsAddress = { permitsLocal || $0.isPublic }
        return request
    }
}
