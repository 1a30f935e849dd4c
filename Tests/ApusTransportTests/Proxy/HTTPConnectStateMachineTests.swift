// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("The client's side of HTTP CONNECT")
struct HTTPConnectStateMachineTests {
    private func started(_ host: String = "example.org") -> HTTPConnectStateMachine {
        var machine = HTTPConnectStateMachine(host: host, port: 5222)
        _ = machine.start()
        return machine
    }

    private func text(_ action: ProxyAction) -> String {
        if case .send(let bytes) = action { String(decoding: bytes, as: UTF8.self) } else { "\(action)" }
    }

    @Test("the request names the target twice, an IPv6 address in brackets, and the user where there is one")
    func request() {
        var plain = HTTPConnectStateMachine(host: "example.org", port: 5222)
        #expect(text(plain.start()) == "CONNECT example.org:5222 HTTP/1.1\r\nHost: example.org:5222\r\n\r\n")
        var address = HTTPConnectStateMachine(host: "2001:db8::1", port: 443, user: "Aladdin", password: "open sesame")
        #expect(
            text(address.start())
                == "CONNECT [2001:db8::1]:443 HTTP/1.1\r\nHost: [2001:db8::1]:443\r\n"
                + "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n\r\n")
    }

    @Test("a success opens the tunnel, whatever the fields say, and however it is cut")
    func success() {
        let reply = Array("HTTP/1.0 200 Connection established\r\nServer: x\r\nContent-Length: 5\r\n\r\n".utf8)
        for cut in 1..<reply.count {
            var machine = started()
            #expect(machine.received(reply[..<cut]) == .wait)
            #expect(machine.received(reply[cut...]) == .connected)
        }
        var short = started()
        #expect(short.received(Array("HTTP/1.1 204\r\n\r\n".utf8)) == .connected)
    }

    @Test(
        "refusals are told apart",
        arguments: [
            (407, ProxyFailure.credentials), (401, .credentials), (403, .forbidden), (405, .forbidden),
            (502, .unreachable("status 502")), (504, .unreachable("status 504")), (400, .unreachable("status 400")),
        ])
    func refusals(status: Int, failure: ProxyFailure) {
        var machine = started()
        #expect(machine.received(Array("HTTP/1.1 \(status) No\r\n\r\n<html>".utf8)) == .fail(failure))
    }

    @Test(
        "malformed answers end it",
        arguments: [
            "HTTP/1.1 200 OK\r\n\r\nx", "HTTP/2 200\r\n\r\n", "HTTP/1.2 200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n",
            "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "HTTP/1.1 +20 OK\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\nA: b\r\n\r\n", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "HTTP/1.1 200 OK\r\n A: b\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA\r\n\r\n", "HTTP/1.1 200 OK\r\n: b\r\n\r\n", "HTTP/1.1 200 O\u{0}K\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "\r\n\r\n",
            "HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n", "HTTP/1.1 999 X\r\n\r\n",
        ])
    func malformed(reply: String) {
        var machine = started()
        guard case .fail(.malformed) = machine.received(Array(reply.utf8)) else {
            Issue.record("it was taken")
            return
        }
    }

    @Test("an answer without end is given up at its cap")
    func tooLong() {
        var machine = started()
        let line = Array("A: \(String(repeating: "b", count: 1000))\r\n".utf8)
        #expect(machine.received(Array("HTTP/1.1 200 OK\r\n".utf8)) == .wait)
        var taken = 0
        while machine.received(line) == .wait, taken < 100_000 { taken += line.count }
        #expect(taken <= HTTPHeadReader.limit)
    }

    @Test("what the protocol cannot say is refused before anything is sent")
    func unsayable() {
        for (user, password) in [("a:b", "c"), ("a\r\nX: y", "c"), ("a", "c\u{7f}")] {
            var machine = HTTPConnectStateMachine(host: "h", port: 1, user: user, password: password)
            #expect(machine.start() == .fail(.credentials))
        }
        for host in ["a b", "a\r\nX: y", "bücher.example", String(repeating: "a", count: 400)] {
            var machine = HTTPConnectStateMachine(host: host, port: 1)
            guard case .fail(.unreachable) = machine.start() else {
                Issue.record("\(host) was sent")
                continue
            }
        }
    }
}
