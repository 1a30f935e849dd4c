// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Files in messages (XEP-0446, XEP-0447, XEP-0385, XEP-0264)")
struct SharedFileTests {
    @Test("descriptions are written and read")
    func roundTrips() throws {
        let metadata = FileMetadata(
            name: "summit.jpg", mediaType: "image/jpeg", byteCount: 3_032_449,
            hashes: [.sha256(of: [1, 2, 3])], width: 4096, height: 2160, duration: .milliseconds(63_000),
            date: DateTime("2015-07-26T20:46:00Z"), explanation: "Photo & more",
            thumbnails: [Thumbnail(uri: "cid:sha1+ff@bob.xmpp.org", mediaType: "image/png", width: 128, height: 96)])
        try roundTrip(metadata)
        try roundTrip(FileMetadata())
        try roundTrip(SharedFile(metadata: metadata, urls: ["https://example.org/a"], disposition: .inline, id: "f"))
        try roundTrip(SharedFile(metadata: FileMetadata()))
        try roundTrip(Thumbnail(uri: "https://example.org/t"))
    }

    @Test("T085 numbers that are none are left out", arguments: ["-5", "99999999999999999999", "x", "1.5"])
    func numbers(_ text: String) throws {
        let file = FileMetadata(
            try received(
                "<file xmlns='urn:xmpp:file:metadata:0'><size>\(text)</size><width>\(text)</width><length>\(text)</length></file>"
            ))
        #expect(file == FileMetadata())
    }

    @Test(
        "a name leads to no other place and hides nothing",
        arguments: [
            ("../../etc/passwd", "passwd"), ("C:\\Windows\\x.exe", "x.exe"), (".bashrc", "bashrc"),
            ("a\u{0}b\n.txt", "ab.txt"),
            ("photo\u{202E}gpj.exe", "photogpj.exe"), ("  ..  x", "x"),
        ])
    func safeName(_ name: String, _ safe: String) { #expect(FileMetadata(name: name).safeName == safe) }

    @Test("a name of nothing is none, a long one is cut")
    func noName() {
        for name in [nil, "", "/", "..", "\u{202E}"] { #expect(FileMetadata(name: name).safeName == nil) }
        #expect(FileMetadata(name: String(repeating: "ä", count: 500)).safeName?.utf8.count == 200)
    }

    @Test("a message shares a file, with its address as text for others")
    func send() throws {
        let file = SharedFile(metadata: FileMetadata(name: "a.txt"), urls: ["https://example.org/a.txt"])
        let message = try receivedMessage(try written(.file(file, to: try JID("bo@example.org"))))
        #expect(message.sharedFiles == [file] && message.attachmentURL == "https://example.org/a.txt")
        #expect(message.isOnlyFallback(for: ["urn:xmpp:sfs:0"]))
        let pending = try receivedMessage(
            try written(.file(SharedFile(metadata: FileMetadata(name: "a")), to: try JID("bo@example.org"))))
        #expect(pending.body == nil && pending.hints == .store && pending.sharedFiles.count == 1)
    }

    @Test("the older form is read, without addresses of people")
    func older() throws {
        let xml = """
            <message type='chat'><body>x</body><reference xmlns='urn:xmpp:reference:0' begin='0' end='1' type='data'>
            <media-sharing xmlns='urn:xmpp:sims:1'><file xmlns='urn:xmpp:jingle:apps:file-transfer:5'>
            <media-type>image/jpeg</media-type><name>summit.jpg</name><size>7</size></file><sources>
            <reference xmlns='urn:xmpp:reference:0' type='data' uri='https://example.org/summit.jpg'/>
            <reference xmlns='urn:xmpp:reference:0' type='data' uri='xmpp:romeo@montague.lit/r?jingle'/></sources>
            </media-sharing></reference></message>
            """
        let file = try #require(try receivedMessage(xml).sharedFiles.first)
        #expect(file.metadata.name == "summit.jpg" && file.metadata.byteCount == 7)
        #expect(file.urls == ["https://example.org/summit.jpg"])
        #expect(try receivedMessage(xml.replacing("'chat'", with: "'error'")).sharedFiles.isEmpty)
    }
}
