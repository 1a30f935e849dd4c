// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("A proxy's settings")
struct ProxyTests {
    @Test("user and password are in no description")
    func secrecy() {
        let proxy = Proxy(.socks5, host: "::1", port: 1080, user: "annabel", password: "hunter2")
        var dumped = ""
        dump(proxy, to: &dumped)
        for text in ["\(proxy)", String(reflecting: proxy), dumped, "\([proxy])", String(describing: Optional(proxy))] {
            #expect(!text.contains("hunter2") && !text.contains("annabel"), "\(text)")
        }
        #expect("\(proxy)" == "socks5://[::1]:1080")
        for failure in [ProxyFailure.credentials, .forbidden, .unreachable("no"), .malformed("no")] {
            #expect(!TransportError(proxy, failure).description.contains("hunter2"))
        }
    }

    @Test("name servers are asked beside an HTTP proxy and not beside SOCKS5, unless told otherwise")
    func nameServers() {
        #expect(!Proxy(.socks5, host: "p", port: 1).asksNameServers)
        #expect(Proxy(.http, host: "p", port: 1).asksNameServers)
        #expect(Proxy(.socks5, host: "p", port: 1, asksNameServers: true).asksNameServers)
    }
}
