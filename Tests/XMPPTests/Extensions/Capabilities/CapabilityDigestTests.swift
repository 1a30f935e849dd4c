// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Testing
import XMPPTesting

@testable import XMPP

@Suite("Hashes of what programs can do (XEP-0115, XEP-0390)")
struct CapabilityDigestTests {
    static let info = "http://jabber.org/protocol/disco#info"

    static func query(_ content: String) throws -> Element {
        try received("<query xmlns='\(info)'>\(content)</query>")
    }

    static func verification(_ content: String, inheriting: Bool = false) throws -> String? {
        guard let digest = CapabilityDigest(try query(content), inheriting: inheriting) else { return nil }
        return ContentHash.verification(digest.verificationInput)
    }

    static let form = """
        <x xmlns='jabber:x:data' type='result'><field var='FORM_TYPE' type='hidden'>
        <value>urn:xmpp:dataforms:softwareinfo</value></field><field var='os'><value>macOS</value></field>
        <field var='ip_version'><value>ipv6</value><value>ipv4</value></field></x>
        """
    static let two = "<feature var='\(info)'/><feature var='urn:xmpp:ping'/>"

    @Test("the examples of XEP-0115 have the hashes that it says")
    func examples() throws {
        let simple = """
            <identity category='client' name='Exodus 0.9.1' type='pc'/><feature var='http://jabber.org/protocol/caps'/>
            <feature var='http://jabber.org/protocol/muc'/><feature var='http://jabber.org/protocol/disco#items'/>
            <feature var='http://jabber.org/protocol/disco#info'/>
            """
        #expect(try Self.verification(simple) == "QgayPKawpkPSDYmwT/WM94uAlu0=")
        let complex = try #require(received(try Fixture.named("xep-0115/complex.xml").xml).children.first)
        let digest = try #require(CapabilityDigest(complex))
        #expect(ContentHash.verification(digest.verificationInput) == "q07IKJEyjvHSyhy//CH0CxmKi8w=")
        #expect(!digest.isUnambiguous)
    }

    @Test("the example of XEP-0390 has the hash that it says")
    func modernExample() throws {
        let query = try received(try Fixture.named("xep-0390/simple.xml").xml)
        let digest = try #require(CapabilityDigest(query))
        let input = try #require(digest.hashInput)
        #expect(input.count == 0x1D9)
        #expect(ContentHash.sha256(of: input).element.text == "kzBZbkqJ3ADrj7v08reD1qcWUwNGHaidNUgD7nHpiw8=")
        #expect(DiscoInfo(query)?.capabilityHash == ContentHash.sha256(of: input))
        let complex = try #require(
            CapabilityDigest(try received(try Fixture.named("xep-0390/complex.xml").xml))?.hashInput)
        #expect(ContentHash.sha256(of: complex).element.text == "u79ZroNJbdSWhdSp311mddz44oHHPsEBntQ5b1jqBSY=")
    }

    @Test("B94 the language of an identity counts, also one that it inherits")
    func language() throws {
        let own = """
            <identity category='client' type='phone' name='Sparrow' xml:lang='en'/>
            <identity category='client' type='phone' name='Mus' xml:lang='nl'/>\(Self.two)
            """
        #expect(try Self.verification(own) == "/k1ldQOXphRynh2AG/7BuxVSATs=")
        let inherited = try received(
            """
            <iq xml:lang='en'><query xmlns='\(Self.info)'><identity category='client' type='phone' name='Sparrow'/>
            <identity category='client' type='phone' name='Mus' xml:lang='nl'/>\(Self.two)</query></iq>
            """)
        let query = try #require(inherited.children.first)
        let digest = try #require(CapabilityDigest(query, inheriting: true))
        #expect(ContentHash.verification(digest.verificationInput) == "/k1ldQOXphRynh2AG/7BuxVSATs=")
    }

    @Test("B95 forms count, unless their type is not hidden")
    func forms() throws {
        let identity = "<identity category='client' type='pc' name='Sparrow'/>"
        let plain = try Self.verification(identity + Self.two)
        #expect(plain == "kWvqTHKZxda/CLkW1imD520OYz0=")
        #expect(try Self.verification(identity + Self.two + Self.form) == "pCSb7YdOzXulSUbIuMyVhF+gUg8=")
        #expect(
            try Self.verification(identity + Self.two + Self.form.replacing(" type='hidden'", with: "")) == plain)
    }

    @Test("B96 what is not there is empty between the slashes")
    func absent() throws {
        let digest = try #require(CapabilityDigest(try Self.query("<identity category='client' type='pc'/>")))
        #expect(String(decoding: digest.verificationInput, as: UTF8.self) == "client/pc//<")
    }

    @Test(
        "B97 a list that names a thing twice, or a form type twice, is ill-formed",
        arguments: [
            "<feature var='a'/><feature var='a'/>",
            "<identity category='a' type='b' name='c'/><identity category='a' type='b' name='c'/>",
            form + form,
            form.replacing(
                "</value></field><field var='os'>", with: "</value><value>x</value></field><field var='os'>"),
        ])
    func illFormed(_ content: String) throws { #expect(CapabilityDigest(try Self.query(content)) == nil) }

    @Test("B97 T140 lists that another list could stand for are told from those that none can")
    func ambiguous() throws {
        let honest = try #require(
            CapabilityDigest(
                try Self.query(
                    "<identity category='client' type='pc' name='Sparrow'/><feature var='urn:xmpp:ping'/><feature var='urn:xmpp:time'/>"
                )))
        let forged = try #require(
            CapabilityDigest(
                try Self.query(
                    "<identity category='client' type='pc' name='Sparrow&lt;urn:xmpp:ping'/><feature var='urn:xmpp:time'/>"
                )))
        #expect(ContentHash.verification(honest.verificationInput) == "pavJHSQgwi4ubRgdE+QATziGdV0=")
        #expect(honest.verificationInput == forged.verificationInput)
        #expect(honest.isUnambiguous && !forged.isUnambiguous)
        #expect(honest.hashInput != forged.hashInput)
        for content in [
            // Features that became parts of a form, of an identity, of a language.
            "<identity category='client' type='pc'/>\(Self.form)", "<feature var='client/pc//x'/>",
            "<identity category='http:' type='x' xml:lang='jabber.org' name='protocol/muc'/>",
            "<identity category='client' type='pc' xml:lang='a/b'/>", "<identity category='client' type=''/>",
            "<identity category='client' type='pc'/><feature var='a&lt;b'/>",
            "<identity category='client' type='pc'/><feature/>",
        ] {
            #expect(try CapabilityDigest(Self.query(content))?.isUnambiguous == false, "\(content)")
        }
    }

    @Test("lists with strangers, rows or forms without type have no hash by XEP-0390")
    func noHash() throws {
        for content in [
            "<x xmlns='urn:x'/>", "<x xmlns='jabber:x:data' type='result'><item/></x>", "<x xmlns='jabber:x:data'/>",
        ] {
            #expect(try CapabilityDigest(Self.query(content))?.hashInput == nil, "\(content)")
        }
    }

    @Test("a list of more things than a program has is refused")
    func cap() throws {
        #expect(try CapabilityDigest(Self.query((0...2000).map { "<feature var='\($0)'/>" }.joined())) == nil)
    }
}

extension ContentHash {
    fileprivate static func verification(_ input: [UInt8]) -> String { base64(digest(.sha1, input)) }
}
