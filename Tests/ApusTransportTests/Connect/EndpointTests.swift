// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("Endpoint")
struct EndpointTests {
    @Test("an IPv6 literal is written in brackets")
    func description() {
        #expect(Endpoint(host: "a.example", port: 5222).description == "a.example:5222")
        #expect(Endpoint(host: "2001:db8::7", port: 5333).description == "[2001:db8::7]:5333")
    }

    @Test("the standard ports are those of RFC 6120 and XEP-0368")
    func standard() {
        #expect(Endpoint.standard("a.example", false) == Endpoint(host: "a.example", port: 5222))
        #expect(Endpoint.standard("a.example", true) == Endpoint(host: "a.example", port: 5223, usesDirectTLS: true))
    }
}
