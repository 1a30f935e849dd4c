// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@testable import ChatKit

@Suite("FileDescription")
struct FileDescriptionTests {
    private func message(_ inner: String, attributes: String = "") throws -> Message {
        guard
            case .message(let message) = try StoreFixture.stanza(
                "<message from='bo@example.net/p' type='chat' \(attributes)>\(inner)</message>")
        else { throw ChatError(.other, "no message") }
        return message
    }

    private static let url = "https://files.example.net/a/tea%20cup.jpg"

    @Test("an address that is the whole text is a file, named by the end of its path")
    func outOfBand() throws {
        let message = try message(
            "<body>\(Self.url)</body><x xmlns='jabber:x:oob'><url>\(Self.url)</url></x>")
        let files = message.fileDescriptions
        #expect(files.map(\.urls) == [[Self.url]] && files.first?.metadata.name == "tea cup.jpg")
        #expect(message.textBesideFiles(message.body ?? "") == "")
    }

    @Test("an address beside another text is a link, no file")
    func link() throws {
        let message = try message("<body>look</body><x xmlns='jabber:x:oob'><url>\(Self.url)</url></x>")
        #expect(message.fileDescriptions.isEmpty)
    }

    private static let sharing = """
        <file-sharing xmlns='urn:xmpp:sfs:0' disposition='inline'><file xmlns='urn:xmpp:file:metadata:0'>\
        <media-type>image/jpeg</media-type><name>../../tea.jpg</name><size>5</size><width>40</width><height>30</height>\
        <hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=</hash></file>\
        <sources><url-data xmlns='http://jabber.org/protocol/url-data' target='\(url)'/>\
        <url-data xmlns='http://jabber.org/protocol/url-data' target='javascript:alert(1)'/></sources></file-sharing>
        """

    @Test("T169 file sharing has the measures, keeps only addresses of the Web, and its text is what stands beside it")
    func fileSharing() throws {
        let plain = try message(
            "<body>\(Self.url)</body>\(Self.sharing)<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:sfs:0'><body/></fallback>"
        )
        let file = try #require(plain.fileDescriptions.first)
        #expect(file.urls == [Self.url] && file.metadata.width == 40 && file.isInline == true)
        #expect(file.metadata.safeName == "tea.jpg" && file.metadata.hashes.count == 1)
        #expect(plain.textBesideFiles(plain.body ?? "") == "")
        let captioned = try message(
            """
            <body>my cup\n\(Self.url)</body>\(Self.sharing)<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:sfs:0'>\
            <body start='6' end='\(7 + Self.url.count)'/></fallback>
            """)
        #expect(captioned.textBesideFiles(captioned.body ?? "") == "my cup")
    }

    @Test("file sharing without a text, and in the form of before, counts too")
    func otherForms() throws {
        #expect(try message(Self.sharing).fileDescriptions.count == 1)
        let older = try message(
            """
            <body>x</body><reference xmlns='urn:xmpp:reference:0' type='data'><media-sharing xmlns='urn:xmpp:sims:1'>\
            <file xmlns='urn:xmpp:jingle:apps:file-transfer:5'><name>a.png</name></file><sources>\
            <reference xmlns='urn:xmpp:reference:0' type='data' uri='\(Self.url)'/></sources></media-sharing></reference>
            """)
        #expect(older.fileDescriptions.first?.urls == [Self.url])
    }

    @Test("a picture of a tutorial's program is a file")
    func tutorial() throws {
        let message = try message("<body>http://192.0.2.7/img/1</body>", attributes: "bodyType='image'")
        let file = try #require(message.fileDescriptions.first)
        #expect(
            file.urls == ["http://192.0.2.7/img/1"] && MessageFile.Kind(mediaType: file.metadata.mediaType) == .picture)
    }

    @Test("T154 a preview counts only as a small picture of a harmless kind, by its own bytes")
    func previews() throws {
        let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        #expect(Preview.isAcceptable("data:image/png;base64,\(png)"))
        #expect(!Preview.isAcceptable("data:image/jpeg;base64,\(png)"))
        #expect(!Preview.isAcceptable("data:image/svg+xml;base64,\(png)"))
        #expect(!Preview.isAcceptable("data:image/png;base64,PHN2Zz48L3N2Zz4="))
        #expect(!Preview.isAcceptable("https://files.example.net/x.png"))
        #expect(!Preview.isAcceptable("data:image/png;base64," + String(repeating: "A", count: 9000)))
    }

    @Test("the host of an address is what stands before its path, without a user")
    func hosts() {
        #expect(WebAddress.host(of: "https://Files.example.net:8443/x") == "files.example.net")
        #expect(WebAddress.host(of: "https://bank.example@evil.example/x") == "evil.example")
        #expect(WebAddress.host(of: "https://[2001:db8::1]:1/x") == "[2001:db8::1]")
        #expect(WebAddress.host(of: "nothing") == nil)
        #expect(!WebAddress.isUsable("https://files.example.net/a b"))
        #expect(!WebAddress.isUsable("file:///etc/passwd"))
    }
}
