// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import Testing
import XMPP
import XMPPTesting

/// What Openfire writes, as it writes it: quotation marks, order and repetitions included.
@Suite("Openfire", .timeLimit(.minutes(1)))
struct OpenfireTranscriptTests {
    static let limits =
        "<limits xmlns=\"urn:xmpp:stream-limits:0\"><max-bytes>1048576</max-bytes><idle-seconds>360</idle-seconds></limits>"
    static let bindings =
        "<sasl-channel-binding xmlns=\"urn:xmpp:sasl-cb:0\"><channel-binding type=\"tls-server-end-point\"/></sasl-channel-binding>"
    static let mechanisms =
        "<mechanisms xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"><mechanism>PLAIN</mechanism>"
        + "<mechanism>SCRAM-SHA-1</mechanism><mechanism>SCRAM-SHA-1-PLUS</mechanism></mechanisms>"
    static let oldMechanisms =
        "<mechanisms xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"><mechanism>CRAM-MD5</mechanism><mechanism>PLAIN</mechanism>"
        + "<mechanism>DIGEST-MD5</mechanism><mechanism>SCRAM-SHA-1</mechanism></mechanisms>"
    static let compression =
        "<compression xmlns=\"http://jabber.org/features/compress\"><method>zlib</method></compression>"
    static let more =
        "<ver xmlns=\"urn:xmpp:features:rosterver\"/><register xmlns=\"http://jabber.org/features/iq-register\"/>"
    static let caps =
        "<c xmlns=\"http://jabber.org/protocol/caps\" hash=\"sha-1\" node=\"https://www.igniterealtime.org/projects/openfire/\" "
        + "ver=\"QgayPKawpkPSDYmwT/WM94uAlu0=\"/>"
    static let startTLS = "<starttls xmlns=\"urn:ietf:params:xml:ns:xmpp-tls\"/>"
    static let requiredTLS = "<starttls xmlns=\"urn:ietf:params:xml:ns:xmpp-tls\"><required/></starttls>"
    static let proceed = "<proceed xmlns=\"urn:ietf:params:xml:ns:xmpp-tls\"/>"
    static let afterLogin =
        compression + "<ver xmlns=\"urn:xmpp:features:rosterver\"/><bind xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"/>"
        + "<session xmlns=\"urn:ietf:params:xml:ns:xmpp-session\"><optional/></session><sm xmlns=\"urn:xmpp:sm:2\"/>"
        + "<sm xmlns=\"urn:xmpp:sm:3\"/><csi xmlns=\"urn:xmpp:csi:0\"/>" + caps + limits

    static func header(_ features: String, quote: Character = "\"") -> String {
        let declaration =
            quote == "'" ? "<?xml version='1.0' encoding='UTF-8'?>" : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        return declaration
            + "<stream:stream xmlns:stream=\"http://etherx.jabber.org/streams\" xmlns=\"jabber:client\" from=\"example.org\" "
            + "id=\"4x9q2m7k1a\" xml:lang=\"en\" version=\"1.0\"><stream:features>\(features)</stream:features>"
    }

    /// The server's side of SCRAM-SHA-1 and its -PLUS, checked byte for byte.
    static func acceptSCRAM(_ peer: ScriptedPeer, _ mechanism: String, gs2: String, binding: [UInt8]) async throws {
        let auth = await peer.expect("auth", "urn:ietf:params:xml:ns:xmpp-sasl")
        #expect(auth?["mechanism"] == mechanism)
        let first = String(decoding: try #require(decodeBase64(auth?.text ?? "")), as: UTF8.self)
        #expect(first.hasPrefix(gs2 + "n=juliet,r="))
        let bare = String(first.dropFirst(gs2.count))
        let nonce = bare.dropFirst("n=juliet,r=".count)
        let salt = Array("saltsaltsaltsaltsaltsalt".utf8)
        let serverFirst = "r=\(nonce)0f6c2a1e-8d2b-4c55-9b1e-3f7a3c1d9e10,s=\(base64(salt)),i=4096"
        peer.inject(
            "<challenge xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\">\(base64(Array(serverFirst.utf8)))</challenge>")
        let response = await peer.expect("response", "urn:ietf:params:xml:ns:xmpp-sasl")
        let final = String(decoding: try #require(decodeBase64(response?.text ?? "")), as: UTF8.self)
        let channel = base64(Array(gs2.utf8) + binding)
        #expect(final.hasPrefix("c=\(channel),r=\(nonce)0f6c2a1e-8d2b-4c55-9b1e-3f7a3c1d9e10,p="))
        let proof = try #require(final.firstRange(of: ",p="))
        let message = Array("\(bare),\(serverFirst),\(final[..<proof.lowerBound])".utf8)
        let keys = SCRAMDerivation(hash: .sha1, salt: salt, iterations: 4096).keys(password: Array("secret".utf8))
        let signature = hmac(.sha1, key: keys.serverKey, message)
        let clientSignature = hmac(.sha1, key: digest(.sha1, keys.clientKey), message)
        #expect(String(final[proof.upperBound...]) == base64(zip(keys.clientKey, clientSignature).map { $0 ^ $1 }))
        peer.inject(
            "<success xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\">\(base64(Array("v=\(base64(signature))".utf8)))</success>"
        )
    }

    /// Bind and stream management as Openfire answers them.
    static func acceptBind(_ peer: ScriptedPeer, jid: String = "juliet@example.org/balcony") async {
        let bind = await peer.expect("iq")
        #expect(bind?["type"] == "set")
        let payload = bind?.child(XMLName("bind", "urn:ietf:params:xml:ns:xmpp-bind"))
        #expect(payload?.child(XMLName("resource", "urn:ietf:params:xml:ns:xmpp-bind"))?.text == "balcony")
        peer.inject(
            "<iq type=\"result\" id=\"\(bind?["id"] ?? "")\" to=\"example.org/0f6c2a1e-8d2b-4c55-9b1e-3f7a3c1d9e10\">"
                + "<bind xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"><jid>\(jid)</jid></bind></iq>")
        // No session request, since it is optional, no compression, and version 3 of stream management.
        await peer.expect("enable", "urn:xmpp:sm:3")
        peer.inject("<enabled xmlns=\"urn:xmpp:sm:3\" id=\"YmFsY29ueQ==\" resume=\"true\" max=\"120\"/>")
    }

    @Test(
        "OF01 OF03 OF06 OF08 OF10 OF11 a whole login in clear, TLS and binding to the certificate",
        arguments: [
            [startTLS, limits, bindings, mechanisms, compression, more, caps, limits],
            [limits, caps, more, compression, mechanisms, bindings, startTLS],
            [oldMechanisms, startTLS, compression],
        ])
    func login(_ features: [String]) async throws {
        let fixture = try SessionFixture { $0.language = "en" }
        let peer = fixture.peer
        async let connecting: Void = fixture.session.connect()
        let ours = await peer.expectHeader()
        #expect(ours?["to"] == "example.org" && ours?["version"] == "1.0")
        #expect(peer.writtenText.contains("?><stream:stream "))
        peer.inject(Self.header(features.joined(), quote: features.count == 3 ? "'" : "\""))
        await peer.expect("starttls", "urn:ietf:params:xml:ns:xmpp-tls")
        #expect(!peer.writtenText.contains("auth"))
        peer.inject(Self.proceed)
        await peer.expectHeader()
        // The same id as before, and features in yet another order.
        if features.count == 3 {
            peer.inject(Self.header(Self.oldMechanisms + Self.compression, quote: "'"))
            try await Self.acceptSCRAM(peer, "SCRAM-SHA-1", gs2: "y,,", binding: [])
        } else {
            peer.inject(
                Self.header(Self.bindings + Self.mechanisms + Self.compression + Self.more + Self.caps + Self.limits))
            try await Self.acceptSCRAM(
                peer, "SCRAM-SHA-1-PLUS", gs2: "p=tls-server-end-point,,", binding: [UInt8](repeating: 9, count: 32))
        }
        await peer.expectHeader()
        peer.inject(Self.header(Self.afterLogin))
        await Self.acceptBind(peer)
        try await connecting
        #expect(await fixture.session.jid?.description == "juliet@example.org/balcony")
        #expect(await fixture.session.offersRosterVersioning)
        #expect(await fixture.session.isBoundToChannel == (features.count != 3))
        #expect(!peer.writtenText.contains("compress") && !peer.writtenText.contains("xmpp-session"))
        peer.inject("<r xmlns=\"urn:xmpp:sm:3\"/>")
        #expect(await peer.expect("a")?["h"] == "0")
        await fixture.leave()
    }

    @Test("OF01 a wrong domain still gets the server's own in from, and is refused")
    func wrongDomain() async throws {
        let fixture = try SessionFixture("juliet@example.net/balcony")
        let connecting = Task { try await fixture.session.connect() }
        await fixture.peer.expectHeader()
        fixture.peer.inject(Self.header(Self.startTLS + Self.mechanisms))
        let error = await fixture.peer.expectEnd()
        #expect(error?.children.contains { $0.localName == "invalid-from" } == true)
        await #expect { try await connecting.value } throws: { ($0 as? XMPPError)?.code == .protocolViolation }
        #expect(!fixture.peer.writtenText.contains("auth"))
    }

    @Test("OF02 where TLS is required nothing but <starttls/> goes out, whatever else is on offer")
    func requiredTLS() async throws {
        let fixture = try SessionFixture()
        let connecting = Task { try await fixture.session.connect() }
        await fixture.peer.expectHeader()
        fixture.peer.inject(Self.header(Self.requiredTLS + Self.limits + Self.bindings + Self.mechanisms))
        await fixture.peer.expect("starttls")
        await fixture.peer.expectNothing()
        let parts = fixture.peer.writtenText.split(separator: "<starttls")
        #expect(parts.count == 2 && parts.last?.filter { $0 == "<" }.count ?? 2 < 2, "\(fixture.peer.writtenText)")
        fixture.peer.cut(nil)
        await #expect { try await connecting.value } throws: { ($0 as? XMPPError)?.code == .connectionLost }
    }

    @Test(
        "OF03 OF04 TLS that cannot start ends the attempt, in each form that Openfire has for it",
        arguments: [
            "<failure xmlns=\"urn:ietf:params:xml:ns:xmpp-tls\"/></stream:stream>",
            "<stream:error xmlns:stream=\"http://etherx.jabber.org/streams\"><not-authorized "
                + "xmlns=\"urn:ietf:params:xml:ns:xmpp-streams\"/></stream:error></stream:stream>",
            "</stream:stream>", "",
        ])
    func failedTLS(_ answer: String) async throws {
        let fixture = try SessionFixture()
        let connecting = Task { try await fixture.session.connect() }
        await fixture.peer.expectHeader()
        fixture.peer.inject(Self.header(Self.startTLS + Self.mechanisms))
        await fixture.peer.expect("starttls")
        if answer.isEmpty { fixture.peer.cut(nil) } else { fixture.peer.inject(answer) }
        await #expect(throws: XMPPError.self) { try await connecting.value }
        #expect(!fixture.peer.writtenText.contains("auth"))
        await fixture.session.disconnect()
    }

    @Test(
        "OF05 inside direct TLS another offer of STARTTLS is passed over, and ALPN is not insisted on",
        arguments: [true, false])
    func directTLS(_ offersStartTLS: Bool) async throws {
        let fixture = try SessionFixture()
        let peer = fixture.peer
        peer.useTLS(ScriptedPeer.defaultInformation, direct: true)
        async let connecting: Void = fixture.session.connect()
        let ours = await peer.expectHeader()
        #expect(ours?["from"] == "juliet@example.org")
        let offer = offersStartTLS ? Self.startTLS : ""
        peer.inject(
            Self.header(
                Self.limits + Self.bindings + offer + Self.mechanisms + Self.compression + Self.more + Self.limits))
        try await Self.acceptSCRAM(
            peer, "SCRAM-SHA-1-PLUS", gs2: "p=tls-server-end-point,,", binding: [UInt8](repeating: 9, count: 32))
        await peer.expectHeader()
        peer.inject(Self.header(Self.afterLogin))
        await Self.acceptBind(peer)
        try await connecting
        #expect(!peer.writtenText.contains("starttls"))
        await fixture.leave()
    }

    @Test(
        "OF07 a refused login is told apart by its condition, without a text",
        arguments: [
            ("not-authorized", XMPPError.Code.notAuthorized), ("account-disabled", .accountDisabled),
            ("invalid-mechanism", .authenticationFailed), ("incorrect-encoding", .authenticationFailed),
            ("aborted", .authenticationFailed),
        ])
    func refusedLogin(_ condition: String, _ code: XMPPError.Code) async throws {
        let fixture = try SessionFixture()
        let peer = fixture.peer
        let connecting = Task { try await fixture.session.connect() }
        await peer.expectHeader()
        peer.inject(Self.header(Self.startTLS + Self.mechanisms))
        await peer.expect("starttls")
        peer.inject(Self.proceed)
        await peer.expectHeader()
        peer.inject(Self.header(Self.bindings + Self.mechanisms))
        await peer.expect("auth")
        peer.inject("<failure xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"><\(condition)/></failure></stream:stream>")
        await #expect { try await connecting.value } throws: { ($0 as? XMPPError)?.code == code }
        #expect(peer.connections == 1)
    }

    @Test("OF08 -PLUS on offer and no binding that fits: the flag is n, never y")
    func flagWithoutBinding() async throws {
        let fixture = try SessionFixture()
        let peer = fixture.peer
        peer.useTLS(
            TLSInformation(
                protocolVersion: "TLSv1.3", isTLS13: true, cipher: "TLS_AES_256_GCM_SHA384", applicationProtocol: nil,
                peerCertificate: [], subject: "CN=example.org", exporter: [UInt8](repeating: 7, count: 32)))
        async let connecting: Void = fixture.session.connect()
        await peer.expectHeader()
        peer.inject(Self.header(Self.requiredTLS + Self.mechanisms))
        await peer.expect("starttls")
        peer.inject(Self.proceed)
        await peer.expectHeader()
        peer.inject(Self.header(Self.bindings + Self.mechanisms))
        try await Self.acceptSCRAM(peer, "SCRAM-SHA-1", gs2: "n,,", binding: [])
        await peer.expectHeader()
        peer.inject(Self.header(Self.afterLogin))
        await Self.acceptBind(peer)
        try await connecting
        await fixture.leave()
    }

    @Test("OF09 SASL2 is not started where it is not offered")
    func noSASL2() async throws {
        let fixture = try SessionFixture()
        let peer = fixture.peer
        async let connecting: Void = fixture.session.connect()
        await peer.expectHeader()
        peer.inject(Self.header(Self.requiredTLS))
        await peer.expect("starttls")
        peer.inject(Self.proceed)
        await peer.expectHeader()
        peer.inject(Self.header(Self.oldMechanisms))
        try await Self.acceptSCRAM(peer, "SCRAM-SHA-1", gs2: "y,,", binding: [])
        await peer.expectHeader()
        peer.inject(Self.header(Self.afterLogin))
        await Self.acceptBind(peer)
        try await connecting
        #expect(!peer.writtenText.contains("urn:xmpp:sasl:2"))
        await fixture.leave()
    }

    @Test("OF12 a resource in use is followed by a bind without one, and the old connection stays away")
    func resourceConflict() async throws {
        let fixture = try SessionFixture()
        let peer = fixture.peer
        var messages = fixture.session.messages().makeAsyncIterator()
        async let connecting: Void = fixture.session.connect()
        await peer.acceptLogin(features: Self.afterLogin, resumes: true)
        let first = await peer.expect("iq")
        peer.inject(
            "<iq type=\"error\" id=\"\(first?["id"] ?? "")\" to=\"example.org/0f6c2a1e\"><bind "
                + "xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"><resource>balcony</resource></bind><error code=\"409\" "
                + "type=\"cancel\"><conflict xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\"/></error></iq>")
        await peer.expect("enable")
        peer.inject(
            "<failed xmlns=\"urn:xmpp:sm:3\"><unexpected-request "
                + "xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\"/></failed>")
        let second = await peer.expect("iq")
        #expect(second?["id"] != first?["id"])
        peer.inject(
            "<iq type=\"result\" id=\"\(second?["id"] ?? "")\" to=\"example.org/0f6c2a1e\"><bind "
                + "xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"><jid>juliet@example.org/0f6c2a1e</jid></bind></iq>")
        await peer.expect("enable")
        peer.inject("<enabled xmlns=\"urn:xmpp:sm:3\" id=\"x\" resume=\"true\"/>")
        try await connecting
        peer.inject(
            "<stream:error xmlns:stream=\"http://etherx.jabber.org/streams\"><conflict "
                + "xmlns=\"urn:ietf:params:xml:ns:xmpp-streams\"/></stream:error></stream:stream>")
        peer.cut(nil)
        await #expect { try await messages.next() } throws: { ($0 as? XMPPError)?.code == .replaced }
        #expect(peer.connections == 1)
    }

    @Test("OF14 what is sent during the login waits for the bind")
    func queuesUntilBound() async throws {
        let fixture = try SessionFixture { $0.initialPresence = Presence() }
        let peer = fixture.peer
        async let connecting: Void = fixture.session.connect()
        await peer.acceptTLS()
        let ticket = try await fixture.session.send(.chat(to: try JID("romeo@example.org"), "early", id: "e1"))
        peer.openStream(ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await peer.acceptSCRAM()
        await peer.expectHeader()
        peer.inject(Self.header(Self.afterLogin))
        await Self.acceptBind(peer)
        try await connecting
        var names: [String] = []
        while names.count < 2, case .element(let element) = await peer.next() {
            if element.localName != "r" { names.append(element.localName) }
        }
        #expect(names.sorted() == ["message", "presence"])
        peer.inject("<a xmlns=\"urn:xmpp:sm:3\" h=\"2\"/>")
        try await ticket.acknowledged()
        await fixture.leave()
    }
}
