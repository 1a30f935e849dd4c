// SPDX-License-Identifier: Apache-2.0

/// The client's side of SOCKS5 (RFC 1928) with user and password (RFC 1929).
///
/// A reply is at most 262 bytes long. Bytes behind the last one are a fault: nobody speaks on the new connection before we do.
package struct SOCKS5StateMachine: Sendable {
    private enum State {
        case idle, method, credentials, reply, done
    }

    private let host: String
    private let port: UInt16
    private let user: [UInt8]
    private let password: [UInt8]
    private let hasCredentials: Bool
    private var state = State.idle
    private var input: [UInt8] = []

    /// `host` is a name or an IP literal without brackets; names are resolved by the proxy.
    package init(host: String, port: UInt16, user: String? = nil, password: String? = nil) {
        self.host = host
        self.port = port
        self.user = Array((user ?? "").utf8)
        self.password = Array((password ?? "").utf8)
        hasCredentials = user != nil
    }

    /// The first bytes; fails when something does not fit into the protocol.
    package mutating func start() -> ProxyAction {
        if hasCredentials {
            guard (1...255).contains(user.count), (1...255).contains(password.count) else {
                return fail(.credentials)
            }
        }
        guard address != nil else { return fail(.unreachable("the host name is too long or not ASCII")) }
        state = .method
        return .send(hasCredentials ? [5, 2, 0, 2] : [5, 1, 0])
    }

    /// Bytes from the proxy.
    package mutating func received(_ bytes: some Sequence<UInt8>) -> ProxyAction {
        input += bytes
        switch state {
        case .idle, .done: return fail(.malformed("it spoke out of turn"))
        case .method: return method()
        case .credentials: return credentials()
        case .reply: return reply()
        }
    }

    private mutating func method() -> ProxyAction {
        guard let version = input.first else { return .wait }
        guard version == 5 else { return fail(.malformed("it does not speak SOCKS5")) }
        guard input.count >= 2 else { return .wait }
        guard input.count == 2 else { return fail(.malformed("it spoke out of turn")) }
        let method = input[1]
        input = []
        switch method {
        case 0: return request()
        case 2 where hasCredentials:
            state = .credentials
            return .send([1, UInt8(user.count)] + user + [UInt8(password.count)] + password)
        case 0xff: return fail(.credentials)
        default: return fail(.malformed("it chose a login that was not offered"))
        }
    }

    private mutating func credentials() -> ProxyAction {
        guard input.first == 1 else { return fail(.malformed("its answer to the login has another version")) }
        guard input.count >= 2 else { return .wait }
        guard input[1] == 0 else { return fail(.credentials) }
        guard input.count == 2 else { return fail(.malformed("it spoke out of turn")) }
        input = []
        return request()
    }

    private mutating func request() -> ProxyAction {
        guard let address else { return fail(.unreachable("the host name is too long or not ASCII")) }
        state = .reply
        return .send([5, 1, 0] + address + [UInt8(port >> 8), UInt8(port & 255)])
    }

    private mutating func reply() -> ProxyAction {
        guard let version = input.first else { return .wait }
        guard version == 5 else { return fail(.malformed("its reply has another version")) }
        guard input.count >= 2 else { return .wait }
        // A refusal is one, whatever follows: some proxies cut it short.
        guard input[1] == 0 else { return fail(SOCKS5StateMachine.failure(input[1])) }
        guard input.count >= 5 else { return .wait }
        let length: Int
        switch input[3] {
        case 1: length = 10
        case 3: length = 7 + Int(input[4])
        case 4: length = 22
        default: return fail(.malformed("its reply has an unknown kind of address"))
        }
        guard input.count >= length else { return .wait }
        guard input.count == length else { return fail(.malformed("it spoke out of turn")) }
        input = []
        state = .done
        return .connected
    }

    /// Kind and bytes of the target; nil when it cannot be said.
    private var address: [UInt8]? {
        if let address = IPAddress(host) { return [address.isIPv6 ? 4 : 1] + address.bytes }
        let name = Array(host.utf8)
        guard (1...255).contains(name.count), name.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        return [3, UInt8(name.count)] + name
    }

    private mutating func fail(_ failure: ProxyFailure) -> ProxyAction {
        state = .done
        input = []
        return .fail(failure)
    }

    /// RFC 1928 §6.
    private static func failure(_ code: UInt8) -> ProxyFailure {
        switch code {
        case 1: .unreachable("it failed")
        case 2: .forbidden
        case 3: .unreachable("no way to the network")
        case 4: .unreachable("no way to the host")
        case 5: .unreachable("the host refused the connection")
        case 6: .unreachable("no answer in time")
        case 7, 8: .unreachable("it cannot do this kind of connection")
        default: .malformed("its reply has an unknown code")
        }
    }
}
