// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("What a server offers")
struct StreamFeaturesTests {
    static func features(_ text: String) throws -> StreamFeatures {
        StreamFeatures(try Wire.element("<stream:features>\(text)</stream:features>"))
    }

    static let limits =
        "<limits xmlns=\"urn:xmpp:stream-limits:0\"><max-bytes>1048576</max-bytes><idle-seconds>360</idle-seconds></limits>"

    @Test("OF01 OF10 order and repetition mean nothing, unknown features are passed over")
    func openfire() throws {
        let parts = [
            "<starttls xmlns=\"urn:ietf:params:xml:ns:xmpp-tls\"/>", Self.limits,
            "<sasl-channel-binding xmlns=\"urn:xmpp:sasl-cb:0\"><channel-binding type=\"tls-server-end-point\"/></sasl-channel-binding>",
            "<mechanisms xmlns=\"urn:ietf:params:xml:ns:xmpp-sasl\"><mechanism>PLAIN</mechanism>"
                + "<mechanism>SCRAM-SHA-1</mechanism><mechanism>SCRAM-SHA-1-PLUS</mechanism></mechanisms>",
            "<compression xmlns=\"http://jabber.org/features/compress\"><method>zlib</method></compression>",
            "<ver xmlns=\"urn:xmpp:features:rosterver\"/>",
            "<register xmlns=\"http://jabber.org/features/iq-register\"/>",
            "<bind xmlns=\"urn:ietf:params:xml:ns:xmpp-bind\"/>",
            "<session xmlns=\"urn:ietf:params:xml:ns:xmpp-session\"><optional/></session>",
            "<sm xmlns=\"urn:xmpp:sm:2\"/>", "<sm xmlns=\"urn:xmpp:sm:3\"/>", "<csi xmlns=\"urn:xmpp:csi:0\"/>",
            Self.limits,
        ]
        let expected = try Self.features(parts.joined())
        #expect(expected.offersStartTLS && expected.offersBind && expected.offersStreamManagement)
        #expect(expected.offersRegistration && expected.offersRosterVersioning && !expected.requiresSession)
        #expect(expected.mechanisms == ["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"])
        #expect(expected.channelBindings == ["tls-server-end-point"])
        #expect(try Self.features(parts.reversed().joined()) == expected)
        #expect(try Self.features((parts[5...] + parts[..<5]).joined()) == expected)
    }

    @Test("OF10 stream management of another version is none")
    func oldStreamManagement() throws {
        #expect(try Self.features("<sm xmlns='urn:xmpp:sm:2'/>").offersStreamManagement == false)
        #expect(try Self.features("<sm xmlns='urn:xmpp:sm:3'/>").offersStreamManagement)
    }

    @Test(
        "T056 a feature counts by namespace and name, whatever its prefix",
        arguments: [
            ("<x:starttls xmlns:x='urn:ietf:params:xml:ns:xmpp-tls'/>", true),
            ("<starttls xmlns='urn:example:evil'/>", false),
            ("<starttls/>", false), ("<a><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></a>", false),
        ])
    func namespaces(_ text: String, _ isOffered: Bool) throws {
        #expect(try Self.features(text).offersStartTLS == isOffered)
    }

    @Test(
        "a session request of old is needed unless it is optional",
        arguments: [
            ("<session xmlns='urn:ietf:params:xml:ns:xmpp-session'/>", true),
            ("<session xmlns='urn:ietf:params:xml:ns:xmpp-session'><optional/></session>", false), ("", false),
        ])
    func session(_ text: String, _ isNeeded: Bool) throws {
        #expect(try Self.features(text).requiresSession == isNeeded)
    }

    @Test("T031 a flood of mechanisms is cut off")
    func manyMechanisms() throws {
        let names = (0..<10_000).map { "<mechanism>X-\($0)</mechanism>" }.joined()
        let features = try Self.features("<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(names)</mechanisms>")
        #expect(features.mechanisms.count == 64)
    }
}

@Suite("The start of a stream")
struct StreamHeaderTests {
    static func written(_ header: StreamHeader) throws -> String {
        var writer = XMLWriter()
        try header.write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("OF01 ours begins with the declaration and the literal prefix")
    func ours() throws {
        #expect(
            try Self.written(StreamHeader(to: "example.org", from: "juliet@example.org", language: "en"))
                == "<?xml version='1.0'?><stream:stream to=\"example.org\" from=\"juliet@example.org\" xml:lang=\"en\" "
                + "version=\"1.0\" xmlns=\"jabber:client\" xmlns:stream=\"http://etherx.jabber.org/streams\">")
    }

    static func condition(
        _ attributes: String, name: String = "stream:stream", namespace: String = "http://etherx.jabber.org/streams",
        carriesStanzas: Bool = true
    ) throws -> StreamError.Condition? {
        let element = try Wire.header("<\(name) xmlns='jabber:client' xmlns:stream='\(namespace)' \(attributes)>")
        do throws(StreamError) {
            _ = try ReceivedStreamHeader(element, domain: "example.org", carriesStanzas: carriesStanzas)
            return nil
        } catch { return error.condition }
    }

    @Test(
        "T057 theirs is taken or refused with the right condition",
        arguments: [
            ("id='1' version='1.0'", nil), ("id='1' version='1.0' from='example.org'", nil),
            ("id='1' version='1.0' from='EXAMPLE.org'", nil), ("id='1' version='1.1'", nil),
            ("id='1' version='1.17'", nil),
            ("id='1' version='1.0' from='evil.example'", StreamError.Condition.invalidFrom),
            ("id='1' version='1.0' from='example.org/x'", .invalidFrom), ("id='1' version='1.0' from=''", .invalidFrom),
            ("id='1' version='2.0'", .unsupportedVersion), ("id='1'", .unsupportedVersion),
            ("id='1' version='0.9'", .unsupportedVersion), ("id='1' version='1'", .unsupportedVersion),
            ("id='1' version='1.0.0'", .unsupportedVersion), ("id='1' version=''", .unsupportedVersion),
            ("id='1' version='1.99999999999999999999'", .unsupportedVersion),
            ("id='1' version='-1.0'", .unsupportedVersion),
            ("version='1.0'", .undefinedCondition), ("id='' version='1.0'", .undefinedCondition),
        ])
    func theirs(_ attributes: String, _ expected: StreamError.Condition?) throws {
        #expect(try Self.condition(attributes) == expected)
    }

    @Test("T057 the name and the namespaces must be right")
    func names() throws {
        #expect(try Self.condition("id='1' version='1.0'", name: "stream:streams") == .badFormat)
        #expect(try Self.condition("id='1' version='1.0'", namespace: "urn:example:evil") == .invalidNamespace)
        #expect(try Self.condition("id='1' version='1.0'", carriesStanzas: false) == .invalidNamespace)
    }
}
