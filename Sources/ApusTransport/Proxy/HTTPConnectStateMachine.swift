// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The client's side of HTTP's CONNECT (RFC 9110 §9.3.6) with the Basic scheme (RFC 7617).
package struct HTTPConnectStateMachine: Sendable {
    private let target: String
    private let credentials: String?
    private let areCredentialsSayable: Bool
    private var reader = HTTPHeadReader()
    private var isDone = true

    /// `host` is a name or an IP literal without brackets; names are resolved by the proxy.
    package init(host: String, port: UInt16, user: String? = nil, password: String? = nil) {
        target = Endpoint(host: host, port: port).description
        let pair = user.map { "\($0):\(password ?? "")" }
        credentials = pair.map { base64(Array($0.utf8)) }
        // A colon would move the border between the two (RFC 7617 §2).
        areCredentialsSayable =
            user?.contains(":") != true && pair?.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f } != false
    }

    /// The request.
    package mutating func start() -> ProxyAction {
        guard areCredentialsSayable else { return .fail(.credentials) }
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), target.utf8.count <= 300 else {
            return .fail(.unreachable("the host name is too long or not ASCII"))
        }
        isDone = false
        var text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
        if let credentials { text += "Proxy-Authorization: Basic \(credentials)\r\n" }
        return .send(Array((text + "\r\n").utf8))
    }

    /// Bytes from the proxy.
    package mutating func received(_ bytes: some Sequence<UInt8>) -> ProxyAction {
        guard !isDone else { return .fail(.malformed("it spoke out of turn")) }
        switch reader.received(bytes) {
        case .wait: return .wait
        case .malformed: return fail(.malformed("its answer is no HTTP"))
        case .tooLong: return fail(.malformed("its answer is too long"))
        case .head(let head, let rest):
            switch head.status {
            case 200...299:
                // Nobody speaks on the new connection before we do.
                guard rest.isEmpty else { return fail(.malformed("it spoke out of turn")) }
                isDone = true
                return .connected
            case 401, 407: return fail(.credentials)
            case 403, 405: return fail(.forbidden)
            case 400...599: return fail(.unreachable("status \(head.status)"))
            default: return fail(.malformed("status \(head.status)"))
            }
        }
    }

    private mutating func fail(_ failure: ProxyFailure) -> ProxyAction {
        isDone = true
        return .fail(failure)
    }
}
