// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import ChatAPI
import ChatTesting
import Foundation
import Testing

@testable import ChatService

@Suite struct PushTests {
    private static let point = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"

    private static func target(_ endpoint: String, permitsLocal: Bool = false, point: String = point) throws
        -> PushTarget
    {
        try PushTarget(session: "s", endpoint: endpoint, point: point, secret: secret, permitsLocal: permitsLocal)
    }

    @Test(
        "An endpoint is an https URL without login or fragment",
        arguments: [
            "http://push.example.net/x", "https://", "https://u:p@push.example.net/", "ftp://x/", "javascript:1", "",
            "https://push.example.net/#x", "//push.example.net/",
        ])
    func endpoints(_ endpoint: String) {
        #expect(throws: ChatAPIError.self) { try Self.target(endpoint) }
    }

    @Test("Keys that are none are refused at once")
    func keys() {
        #expect(throws: ChatAPIError.self) { try Self.target("https://p.example/", point: "BCVx") }
        let off = String(Self.point.dropLast()) + "A"
        #expect(throws: ChatAPIError.self) { try Self.target("https://p.example/", point: off) }
    }

    @Test(
        "T150 a push service is called at public addresses alone, however its name resolves",
        arguments: [
            "127.0.0.1", "10.1.2.3", "192.168.0.1", "169.254.169.254", "::1", "fe80::1", "fd00::1", "::ffff:127.0.0.1",
        ])
    func privateAddresses(_ text: String) async throws {
        let directory = try TemporaryDirectory()
        let sender = PushSender(store: PushStore(folder: directory.path), contact: "mailto:a@b", permitsLocal: false)
        let note = PushNote(account: "a", conversation: "b", body: "hi", message: "1", unread: 1)
        let request = try #require(
            sender.request(note, try Self.target("https://push.example.net/x"), try sender.store.key()))
        let address = try #require(IPAddress(text))
        #expect(request.allowsAddress?(address) == false)
        #expect(request.allowsAddress?(try #require(IPAddress("93.184.216.34"))) == true)
        #expect(request.maximumRedirects == 0 && !request.permitsUnencrypted)
        let url = text.contains(":") ? "https://[\(text)]:1/" : "https://\(text):1/"
        guard let direct = try? Self.target(url) else { return }
        guard case .failed = await sender.send(note, to: direct) else {
            Issue.record("a private address was called")
            return
        }
    }

    @Test("A request carries what the push service needs, and the text in no readable form")
    func request() throws {
        let directory = try TemporaryDirectory()
        let sender = PushSender(store: PushStore(folder: directory.path), contact: "mailto:a@b", permitsLocal: false)
        let note = PushNote(account: "a", conversation: "b", name: "Bo", body: "a secret text", message: "1", unread: 1)
        let request = try #require(
            sender.request(note, try Self.target("https://push.example.net:444/x?y"), try sender.store.key()))
        let headers = Dictionary(request.headers.map { ($0.name, $0.value) }) { $1 }
        #expect(headers["Content-Encoding"] == "aes128gcm" && headers["TTL"] == "86400")
        #expect(headers["Topic"]?.count == 24)
        let token = try #require(headers["Authorization"]?.split(separator: ".").dropFirst().first)
        let claims = String(decoding: try #require(decodeBase64url(String(token))), as: UTF8.self)
        #expect(claims.contains(#""aud":"https://push.example.net:444""#))
        guard case .post(let body) = request.method else { return #expect(Bool(false)) }
        var bytes = [UInt8](repeating: 0, count: Int(body.byteCount))
        #expect(bytes.withUnsafeMutableBytes { body.read(0, $0) } == bytes.count)
        #expect(bytes.firstRange(of: Array("secret".utf8)) == nil)
    }

    @Test("A long text is cut to whole characters, so that the message fits")
    func long() throws {
        let text = String(repeating: "👩‍👩‍👧", count: 200)
        let short = PushNote.shortened(text)
        #expect(short.utf8.count <= PushNote.bodyBytes + 3 && short.hasSuffix("👩‍👩‍👧…"))
        #expect(PushNote.shortened("short") == "short")
    }

    @Test("Browsers and the key survive a restart; a browser that is signed out is forgotten")
    func store() throws {
        let directory = try TemporaryDirectory()
        let first = PushStore(folder: directory.path)
        try first.set(Self.target("https://one.example/"))
        try first.set(Self.target("https://two.example/"))
        let second = PushStore(folder: directory.path)
        #expect(second.targets.map(\.endpoint) == ["https://two.example/"])
        #expect(try second.key().point == (try first.key().point))
        #expect(TemporaryDirectory.mode(directory.path + "/vapid.pem") == 0o600)
        try second.keepOnly(["other"])
        #expect(PushStore(folder: directory.path).targets.isEmpty)
    }
}
