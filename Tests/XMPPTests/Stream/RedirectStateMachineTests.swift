// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("Following a server to other hosts")
struct RedirectStateMachineTests {
    private typealias Machine = RedirectStateMachine

    private func redirect(_ host: String) -> XMPPError { .stream(StreamError(.seeOtherHost(host))) }

    private func place(_ host: String) throws -> Machine.Place { .redirect(try #require(ServerLocation(host))) }

    private let lost = XMPPError(.connectionLost, "gone", isRetryable: true)

    private func isRedirected(_ action: Machine.Action) -> Bool {
        if case .end(let error) = action { error.code == .redirected } else { false }
    }

    @Test("T011 five hosts are followed, the sixth is not; the next attempt starts anew")
    func chain() throws {
        var machine = Machine()
        #expect(machine.begin(location: nil) == .discovery)
        for index in 1...Machine.limit {
            #expect(machine.ended(redirect("h\(index).net"), .verified) == .connect(try place("h\(index).net")))
        }
        #expect(isRedirected(machine.ended(redirect("h6.net"), .verified)))
        #expect(machine.begin(location: nil) == .discovery)
        #expect(machine.ended(redirect("h1.net"), .verified) == .connect(try place("h1.net")))
    }

    @Test("T011 a circle ends where it closes", arguments: ["a.net", "A.NET", " a.net\t"])
    func circle(again: String) throws {
        var machine = Machine()
        _ = machine.begin(location: nil)
        #expect(machine.ended(redirect("a.net"), .verified) == .connect(try place("a.net")))
        #expect(machine.ended(redirect("b.net"), .verified) == .connect(try place("b.net")))
        #expect(isRedirected(machine.ended(redirect(again), .verified)))
    }

    @Test("T011 what was not said inside TLS is not followed, and neither is what is no place")
    func refused() {
        var machine = Machine()
        _ = machine.begin(location: nil)
        #expect(isRedirected(machine.ended(redirect("evil.net"), .unverified)))
        #expect(isRedirected(machine.ended(redirect("evil.net:99999"), .verified)))
        #expect(isRedirected(machine.ended(redirect(""), .verified)))
    }

    @Test("T011 T002 from inside a WebSocket another one is gone to, by TLS only, and from nowhere else")
    func webSocket() throws {
        var machine = Machine()
        _ = machine.begin(location: nil)
        let uri = "wss://b.example:8443/xmpp"
        let there = try #require(ServerLocation(webSocket: uri))
        #expect(there.description == uri)
        #expect(ServerLocation(uri) == nil)
        #expect(machine.ended(redirect(uri), .verified, webSocket: there) == .connect(.redirect(there)))
        #expect(isRedirected(machine.ended(redirect(uri), .verified, webSocket: there)))
        let others = [
            "ws://b.example/xmpp", "https://b.example/", "wss://user@b.example/", "wss://b.example/#x", "wss://",
        ]
        for other in others {
            #expect(ServerLocation(webSocket: other) == nil)
            #expect(isRedirected(machine.ended(redirect(other), .verified)))
        }
        #expect(isRedirected(machine.ended(redirect("wss://c.example/"), .verified)))
        #expect(machine.begin(location: uri) == .discovery)
    }

    @Test("T011 a server that was up sends us on for the next attempt only, and the hosts still count")
    func online() throws {
        var machine = Machine()
        _ = machine.begin(location: nil)
        for index in 1...Machine.limit {
            let error = redirect("h\(index).net")
            #expect(machine.ended(error, .online(isStable: false)) == .end(error))
            #expect(machine.begin(location: "where.net") == (try place("h\(index).net")))
        }
        #expect(isRedirected(machine.ended(redirect("h6.net"), .online(isStable: false))))
        #expect(machine.begin(location: nil) == .discovery)
        // Sessions that last are no circle.
        for _ in 0..<20 {
            let error = redirect("h1.net")
            #expect(machine.ended(error, .online(isStable: true)) == .end(error))
            #expect(machine.begin(location: nil) == (try place("h1.net")))
        }
        #expect(machine.ended(lost, .verified) == .end(lost))
        #expect(machine.begin(location: nil) == .discovery)
    }

    @Test("T012 a location is tried first, and the usual way when nobody there proves to be the server")
    func location() throws {
        var machine = Machine()
        let location = try #require(ServerLocation("c2.example.org:5333"))
        #expect(machine.begin(location: "c2.example.org:5333") == .location(location))
        let refused = XMPPError(.tlsFailed, "the certificate names another")
        #expect(machine.ended(refused, .unverified) == .connect(.discovery))
        #expect(machine.ended(refused, .unverified) == .end(refused))
        // Not again, until there was a session.
        #expect(machine.begin(location: "c2.example.org:5333") == .discovery)
        #expect(machine.ended(lost, .online(isStable: false)) == .end(lost))
        #expect(machine.begin(location: "c2.example.org:5333") == .location(location))
        let password = XMPPError(.notAuthorized, "wrong password")
        #expect(machine.ended(password, .verified) == .end(password))
        #expect(machine.begin(location: "not a place") == .discovery)
    }

    @Test("B30 a failure at another host says nothing about the usual way: it is tried again")
    func failedThere() throws {
        var machine = Machine()
        _ = machine.begin(location: nil)
        _ = machine.ended(redirect("a.net"), .verified)
        guard case .end(let error) = machine.ended(XMPPError(.tlsFailed, "expired"), .unverified) else {
            Issue.record("it went on")
            return
        }
        #expect(error.code == .tlsFailed)
        #expect(error.isRetryable)
    }
}
