// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("The client's side of SOCKS5")
struct SOCKS5StateMachineTests {
    private static let hello: [UInt8] = [5, 1, 0]
    private static let connected: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0x14, 0x66]

    private func machine(_ host: String = "example.org", user: String? = nil, password: String? = nil)
        -> SOCKS5StateMachine
    {
        SOCKS5StateMachine(host: host, port: 5222, user: user, password: password)
    }

    /// The machine after its request.
    private func requested() -> SOCKS5StateMachine {
        var socks = machine()
        _ = socks.start()
        _ = socks.received([5, 0])
        return socks
    }

    private func isMalformed(_ action: ProxyAction) -> Bool {
        if case .fail(.malformed) = action { true } else { false }
    }

    @Test("the name goes to the proxy as it is, an address as its bytes")
    func request() {
        var socks = machine()
        #expect(socks.start() == .send(Self.hello))
        let name: [UInt8] = [5, 1, 0, 3, 11] + Array("example.org".utf8) + [0x14, 0x66]
        #expect(socks.received([5, 0]) == .send(name))
        #expect(socks.received(Self.connected) == .connected)

        var version4 = machine("192.0.2.1")
        _ = version4.start()
        #expect(version4.received([5, 0]) == .send([5, 1, 0, 1, 192, 0, 2, 1, 0x14, 0x66]))
        var version6 = machine("2001:db8::1")
        _ = version6.start()
        let bytes: [UInt8] = [0x20, 1, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        #expect(version6.received([5, 0]) == .send([5, 1, 0, 4] + bytes + [0x14, 0x66]))
    }

    @Test("user and password are said when the proxy wants them, and only then (RFC 1929)")
    func login() {
        var socks = machine(user: "ann", password: "pässword")
        #expect(socks.start() == .send([5, 2, 0, 2]))
        let password = Array("pässword".utf8)
        #expect(socks.received([5, 2]) == .send([1, 3] + Array("ann".utf8) + [9] + password))
        guard case .send(let request) = socks.received([1, 0]) else {
            Issue.record("no request")
            return
        }
        #expect(request.starts(with: [5, 1, 0, 3]))
        var open = machine(user: "ann", password: "secret")
        _ = open.start()
        guard case .send(let direct) = open.received([5, 0]) else {
            Issue.record("no request")
            return
        }
        #expect(direct.starts(with: [5, 1, 0, 3]))
    }

    @Test("every reply may come byte by byte", arguments: [1, 3, 4] as [UInt8])
    func pieces(kind: UInt8) {
        let address: [UInt8] =
            switch kind {
            case 1: [10, 0, 0, 1]
            case 3: [4] + Array("exit".utf8)
            default: [UInt8](repeating: 9, count: 16)
            }
        var socks = machine(user: "u", password: "p")
        _ = socks.start()
        #expect(socks.received([5]) == .wait)
        guard case .send = socks.received([2]) else {
            Issue.record("no login")
            return
        }
        #expect(socks.received([1]) == .wait)
        guard case .send = socks.received([0]) else {
            Issue.record("no request")
            return
        }
        let reply: [UInt8] = [5, 0, 0, kind] + address + [1, 2]
        for byte in reply.dropLast() { #expect(socks.received([byte]) == .wait) }
        #expect(socks.received([2]) == .connected)
    }

    @Test(
        "refusals are told apart",
        arguments: [
            (1, "failed"), (3, "network"), (4, "host"), (5, "refused"), (6, "time"), (7, "kind"), (8, "kind"),
        ] as [(UInt8, String)])
    func refusals(code: UInt8, word: String) {
        var socks = requested()
        guard case .fail(.unreachable(let reason)) = socks.received([5, code]) else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains(word))
        // Nothing is said after the end.
        #expect(isMalformed(socks.received(Self.connected)))
    }

    @Test("a rule against the target, a refused login and no common login")
    func denied() {
        var forbidden = requested()
        #expect(forbidden.received([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]) == .fail(.forbidden))
        var none = machine()
        _ = none.start()
        #expect(none.received([5, 0xff]) == .fail(.credentials))
        var wrong = machine(user: "u", password: "p")
        _ = wrong.start()
        _ = wrong.received([5, 2])
        #expect(wrong.received([1, 1]) == .fail(.credentials))
    }

    @Test(
        "malformed answers to the greeting end it",
        arguments: [[4], [72, 84], [5, 1], [5, 2], [5, 3], [5, 0, 5], [0]] as [[UInt8]])
    func malformedMethod(bytes: [UInt8]) {
        var socks = machine()
        _ = socks.start()
        #expect(isMalformed(socks.received(bytes)))
    }

    @Test("malformed answers to the login end it", arguments: [[5], [5, 0], [0, 0], [1, 0, 0]] as [[UInt8]])
    func malformedLogin(bytes: [UInt8]) {
        var socks = machine(user: "u", password: "p")
        _ = socks.start()
        _ = socks.received([5, 2])
        #expect(isMalformed(socks.received(bytes)))
    }

    @Test(
        "malformed replies end it, and so does anything that follows one",
        arguments: [
            [4, 0], [5, 9], [5, 255], [5, 0, 0, 0, 0], [5, 0, 0, 2, 0], [5, 0, 0, 5, 0],
            [5, 0, 0, 1, 1, 2, 3, 4, 5, 6, 7], [5, 0, 0, 3, 0, 0, 0, 0],
        ] as [[UInt8]])
    func malformedReply(bytes: [UInt8]) {
        var socks = requested()
        #expect(isMalformed(socks.received(bytes)))
    }

    @Test("what the protocol cannot say is refused before anything is sent")
    func unsayable() {
        let long = String(repeating: "a", count: 256)
        for (user, password) in [("", "p"), (long, "p"), ("u", ""), ("u", long)] {
            var socks = machine(user: user, password: password)
            #expect(socks.start() == .fail(.credentials))
        }
        for host in ["", long, "bücher.example", "a b"] {
            var socks = machine(host)
            guard case .fail(.unreachable) = socks.start() else {
                Issue.record("\(host) was sent")
                continue
            }
        }
    }

    @Test("bytes before the greeting are a fault")
    func early() {
        var socks = machine()
        #expect(isMalformed(socks.received([5, 0])))
    }
}
