// SPDX-License-Identifier: Apache-2.0
import ApusCOpenSSL
import Testing

@testable import ApusCrypto

@Suite struct CertificateNamesTests {
    private let authority: TestAuthority

    init() throws {
        authority = try TestAuthority()
    }

    private func error(_ names: String?, commonName: String = "server", identity: TLSIdentity) throws -> TLSError? {
        let certificate = try authority.issue(commonName, names: names)
        return try handshakeError(of: certificate, trusting: [authority.authorityFile], identity: identity)
    }

    private func expectMismatch(_ names: String?, commonName: String = "server", identity: TLSIdentity) throws {
        let error = try #require(
            try error(names, commonName: commonName, identity: identity), "\(names ?? "no names") was accepted")
        guard case .nameMismatch = error.code else {
            Issue.record("\(error.debugDescription)")
            return
        }
    }

    @Test(
        "T023 a wildcard stands for one whole left-most label",
        arguments: [("chat.example.org", "DNS:*.example.org"), ("xn--mnchen-3ya.example.org", "DNS:*.example.org")])
    func wildcardMatch(domain: String, names: String) throws {
        #expect(try error(names, identity: .domain(domain)) == nil)
    }

    @Test(
        "T023 other uses of a wildcard match nothing",
        arguments: [
            ("example.org", "DNS:*.example.org"), ("a.b.example.org", "DNS:*.example.org"),
            ("foo.example.org", "DNS:f*.example.org"), ("foo.example.org", "DNS:*o.example.org"),
            ("foo.example.org", "DNS:f*o.example.org"), ("example.org", "DNS:*.org"), ("example.org", "DNS:*"),
            ("localhost", "DNS:*"), ("a.b.example.org", "DNS:a.*.example.org"),
            ("a.b.example.org", "DNS:*.*.example.org"), ("foo.example.org", "DNS:foo.*"),
            ("xn--mnchen-3ya.example.org", "DNS:xn--*.example.org"),
        ])
    func wildcardRefusal(domain: String, names: String) throws {
        try expectMismatch(names, identity: .domain(domain))
    }

    @Test func `names are compared without regard to case`() throws {
        #expect(try error("DNS:EXAMPLE.org", identity: .domain("example.ORG")) == nil)
    }

    @Test func `the common name never counts`() throws {
        try expectMismatch(nil, commonName: "example.org", identity: .domain("example.org"))
        try expectMismatch("email:alice@example.org", commonName: "example.org", identity: .domain("example.org"))
        let error = try #require(try error(nil, commonName: "example.org", identity: .domain("example.org")))
        #expect(error.description == "certificate of example.org names no host (its common name does not count)")
    }

    @Test(
        "T025 an SRV-ID of the client service and an XmppAddr of the domain match",
        arguments: [
            "otherName:1.3.6.1.5.5.7.8.7;IA5STRING:_xmpp-client.example.org",
            "otherName:1.3.6.1.5.5.7.8.7;IA5STRING:_XMPP-client.Example.org",
            "otherName:1.3.6.1.5.5.7.8.5;UTF8:example.org",
            "otherName:1.3.6.1.5.5.7.8.7;IA5STRING:_xmpp-server.example.org,otherName:1.3.6.1.5.5.7.8.5;UTF8:example.org",
        ])
    func serviceNames(names: String) throws {
        #expect(try error(names, identity: .domain("example.org")) == nil)
    }

    @Test func `an XmppAddr may have the domain in its Unicode form`() throws {
        func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag, UInt8(content.count)] + content }
        let address = tagged(0xA0, tagged(0x0C, Array("münchen.example".utf8)))
        let other = tagged(0xA0, [6, 8, 0x2B, 6, 1, 5, 5, 7, 8, 5] + address)
        let certificate = try authority.issue(names: "DER:" + hexadecimal(tagged(0x30, other)))
        let trust = TLSTrust(usesSystemRoots: false, authorityFiles: [authority.authorityFile])
        for (unicode, isRight) in [("münchen.example", true), ("munchen.example", false), (nil, false)] {
            let configuration = TLSConfiguration(
                identity: .domain("xn--mnchen-3ya.example"), unicodeDomain: unicode, trust: trust)
            let pair = try TLSPair(configuration, TestServer(certificate))
            #expect((tlsError { try pair.exchange() } == nil) == isRight)
        }
    }

    @Test(
        "T025 another service, another domain and a value of the wrong type are no match",
        arguments: [
            "otherName:1.3.6.1.5.5.7.8.7;IA5STRING:_xmpp-server.example.org",
            "otherName:1.3.6.1.5.5.7.8.7;IA5STRING:_xmpp-client.example.net",
            "otherName:1.3.6.1.5.5.7.8.7;IA5STRING:_xmpp-client.*.org",
            "otherName:1.3.6.1.5.5.7.8.7;IA5STRING:example.org",
            "otherName:1.3.6.1.5.5.7.8.7;UTF8:_xmpp-client.example.org",
            "otherName:1.3.6.1.5.5.7.8.7;INTEGER:5",
            "otherName:1.3.6.1.5.5.7.8.7;NULL:",
            "otherName:1.3.6.1.5.5.7.8.5;UTF8:example.net",
            "otherName:1.3.6.1.5.5.7.8.5;UTF8:alice@example.org",
            "otherName:1.3.6.1.5.5.7.8.5;UTF8:*.example.org",
            "otherName:1.3.6.1.5.5.7.8.5;IA5STRING:example.org",
            "otherName:1.2.3.4;UTF8:example.org",
            "URI:xmpp:example.org",
        ])
    func otherServices(names: String) throws {
        try expectMismatch(names, identity: .domain("example.org"))
    }

    @Test(
        "T025 a malformed extension is no match and no crash",
        arguments: [
            "DER:3000", "DER:30", "DER:0500", "DER:3006A00406022B06", "DER:300CA00A06082B06010505070807",
            "DER:3010A00E06082B06010505070807A0021600", "DER:3012A01006082B06010505070807A0041602FFFF",
            "DER:300D820B6578616D706C652E6F72", "DER:3011820F6578616D706C652E6F72670062616464",
        ])
    func malformed(names: String) throws {
        // The server code would not load such a certificate, so it is put into the flight of another one.
        let malformed = try authority.issue("example.org", names: names)
        let good = try authority.issue(names: "DNS:example.org")
        let trust = TLSTrust(usesSystemRoots: false, authorityFiles: [authority.authorityFile])
        let pair = try TLSPair(
            TLSConfiguration(identity: .domain("example.org"), trust: trust),
            TestServer(good, .init(maximumVersion: TLS1_2_VERSION)))
        let flight = try pair.firstServerFlight()
        #expect(throws: TLSError.self) {
            do {
                try pair.deliver(replacingCertificate(in: flight, with: authority.der(of: malformed)))
            } catch let error as TLSError {
                switch error.code {
                case .nameMismatch, .unsuitableCertificate: break
                default: Issue.record("\(error.debugDescription)")
                }
                throw error
            }
        }
        // With a good one in the same way, the first flight is taken.
        let control = try TLSPair(
            TLSConfiguration(identity: .domain("example.org"), trust: trust),
            TestServer(good, .init(maximumVersion: TLS1_2_VERSION)))
        let controlFlight = try control.firstServerFlight()
        try control.deliver(replacingCertificate(in: controlFlight, with: authority.der(of: good)))
    }

    /// The records of a TLS 1.2 server's first flight with another certificate in them (RFC 5246 §7.4.2).
    private func replacingCertificate(in flight: [UInt8], with der: [UInt8]) -> [UInt8] {
        func length(_ count: Int, _ bytes: Int) -> [UInt8] {
            (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
        }
        var result: [UInt8] = []
        var rest = flight[...]
        while rest.count >= 5 {
            let count = Int(rest[rest.startIndex + 3]) << 8 | Int(rest[rest.startIndex + 4])
            let record = rest.prefix(5 + count)
            rest = rest.dropFirst(5 + count)
            guard record.dropFirst(5).first == 11 else {
                result += record
                continue
            }
            let list = length(der.count, 3) + der
            let message = [11] + length(list.count + 3, 3) + length(list.count, 3) + list
            result += [22, 3, 3] + length(message.count, 2) + message
        }
        return result
    }

    @Test("T025 a zero byte does not end a name")
    func zeroByte() throws {
        // dNSName "example.org\0.evil.example"
        let bytes = Array("example.org\0.evil.example".utf8)
        let der = [0x30, UInt8(bytes.count + 2), 0x82, UInt8(bytes.count)] + bytes
        let error = try #require(try error("DER:" + hexadecimal(der), identity: .domain("example.org")))
        #expect(!error.description.contains("\0"))
    }

    @Test(
        "addresses match iPAddress only",
        arguments: [("127.0.0.1", "IP:127.0.0.1"), ("::1", "IP:::1"), ("2001:db8::7", "IP:2001:DB8:0:0:0:0:0:7")])
    func addresses(address: String, names: String) throws {
        #expect(try error(names, identity: .address(address)) == nil)
        // The same given as a domain is still an address.
        #expect(try error(names, identity: .domain(address)) == nil)
    }

    @Test(
        "an address is not found in other names",
        arguments: [
            ("127.0.0.1", "DNS:127.0.0.1"), ("127.0.0.1", "DNS:*.0.0.1"), ("127.0.0.1", "IP:127.0.0.2"),
            ("::1", "DNS:::1"), ("::1", "IP:127.0.0.1"), ("127.0.0.1", "URI:xmpp:127.0.0.1"),
            ("127.0.0.1", "otherName:1.3.6.1.5.5.7.8.5;UTF8:127.0.0.1"),
        ])
    func addressRefusal(address: String, names: String) throws {
        try expectMismatch(names, commonName: address, identity: .address(address))
    }

    @Test func `presented names are listed for people`() throws {
        let error = try #require(
            try error(
                "DNS:a.example,IP:192.0.2.1,IP:2001:db8::1,otherName:1.3.6.1.5.5.7.8.7;IA5STRING:_xmpp-server.b.example",
                identity: .address("::1")))
        #expect(
            error.code
                == .nameMismatch(
                    presented: ["a.example", "192.0.2.1", "2001:db8:0:0:0:0:0:1", "_xmpp-server.b.example"]))
        #expect(error.description.hasPrefix("certificate of [::1] names only a.example, 192.0.2.1, "))
    }

    @Test(arguments: ["", ".example.org", "*.example.org", "exam ple.org", "a\0b.example", "é.example"])
    func `a domain that no certificate can carry is refused before anything is sent`(domain: String) {
        #expect(throws: TLSError.self) { try TLSSession(TLSConfiguration(identity: .domain(domain))) }
    }

    @Test(arguments: ["", "[::1]", "fe80::1%eth0", "example.org", "1.2.3", "127.0.0.1\0"])
    func `an address that is none is refused before anything is sent`(address: String) {
        #expect(throws: TLSError.self) { try TLSSession(TLSConfiguration(identity: .address(address))) }
    }
}
