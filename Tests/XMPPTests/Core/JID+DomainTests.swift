// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

@Suite("JID domain")
struct JIDDomainTests {
    @Test("gives international domains in both forms")
    func convertsInternationalDomains() throws {
        let jid = try JID("ann@Bücher.faß.example/desk")
        #expect(jid.domain == "bücher.faß.example")
        #expect(jid.asciiDomain == "xn--bcher-kva.xn--fa-hia.example")
        #expect(try JID(jid.asciiDomain).domain == jid.domain)
        #expect(try JID("שלום.example").asciiDomain == "xn--9dbne9b.example")
        #expect(try JID("Example.ORG.").asciiDomain == "example.org")
        #expect(!jid.isIPLiteral && jid.addressLiteral == nil)
    }

    @Test("knows IP addresses")
    func knowsAddresses() throws {
        let four = try JID("alice@127.0.0.1/x")
        #expect(four.domain == "127.0.0.1" && four.asciiDomain == "127.0.0.1")
        #expect(four.isIPLiteral && four.addressLiteral == "127.0.0.1")
        #expect(try JID("127.0.0.1.") == JID("127.0.0.1"))
        let six = try JID("alice@[2001:DB8:0::1]/x")
        #expect(six.domain == "[2001:db8::1]" && six.asciiDomain == "[2001:db8::1]")
        #expect(six.isIPLiteral && six.addressLiteral == "2001:db8::1")
        #expect(six == (try JID("alice@[2001:db8:0:0:0:0:0:1]/x")))
        #expect(JID(wire: "alice@[::1]")?.description == "alice@[::1]")
        for name in ["example.org", "4.example", "a1", "localhost", "1a", "1.2.3.4a"] {
            #expect(try !JID(name).isIPLiteral)
        }
    }
}
