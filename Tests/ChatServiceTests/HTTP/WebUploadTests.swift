// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Foundation
import Testing

@testable import ChatService

/// Files that browsers give: bounded, on disk as they come, and what they are by their bytes alone.
@Suite struct WebUploadTests {
    @Test("T172 a file goes to disk as it comes, and is there once for one key")
    func upload() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let body = "\u{1}" + String(repeating: "0123456789abcdef", count: 40_000)
            let first = try await browser.upload("a%20b.bin", body, key: "one")
            #expect(first.status == 201 && first.body.contains(#""name":"a b.bin""#))
            #expect(first.body.contains(#""size":640001"#))
            let second = try await browser.upload("a%20b.bin", body, key: "one")
            #expect(second.status == 201 && second.body == first.body)
            #expect(second.headers["idempotency-replayed"] == "true")
            #expect(try await browser.upload("a%20b.bin", body + "x", key: "one").status == 422)
            let folder = fixture.directory.path + "/web/uploads"
            let id = try WebFixture.member("id", first.body)
            #expect(Set(try FileManager.default.contentsOfDirectory(atPath: folder)) == [id, id + ".json"])
            #expect(FileManager.default.contents(atPath: folder + "/" + id) == Data(body.utf8))
            #expect(TemporaryDirectory.mode(folder + "/" + id) == 0o600 && TemporaryDirectory.mode(folder) == 0o700)
            #expect(try await browser.write("DELETE", "/api/v1/uploads/\(id)").status == 200)
            #expect(try await browser.get("/api/v1/uploads/\(id)").status == 404)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test(
        "T169 T154 markup is a file like any other, whatever its name and its type say",
        arguments: [
            ("x.png", "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"alert(1)\"/>"),
            ("x.jpg", "<!doctype html><script>alert(1)</script>"), ("x.html", "<html>"),
            ("x.xhtml", "<?xml version=\"1.0\"?>"),
        ])
    func active(_ name: String, _ body: String) async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let reply = try await browser.upload(name, body)
            #expect(reply.status == 201 && reply.body.contains(#""type":"application/octet-stream""#))
            for type in ["text/html", "image/svg+xml", "text/plain", "multipart/form-data; boundary=x"] {
                #expect(try await browser.upload(name, body, type: type).status == 400, "\(type)")
            }
        }
    }

    @Test("A file without a session, a token or a name is not taken, and nothing of it stays")
    func refused() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let head = [
                "POST /api/v1/uploads?name=x HTTP/1.1", "Host: \(fixture.host)", "Idempotency-Key: k",
                "Content-Type: application/octet-stream", "Content-Length: 1",
            ]
            #expect(try await fixture.request(head, "x").status == 401)
            #expect(try await fixture.request(head + ["Cookie: \(browser.cookie)"], "x").status == 403)
            #expect(try await browser.upload("", "x").status == 400)
            #expect(try await browser.upload("x", "").status == 400)
            var large = head + browser.credentials
            large[4] = "Content-Length: \(WebUploads.fileLimit + 1)"
            #expect(try await fixture.request(large).status == 413)
            let left = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.path + "/web/uploads")
            #expect(left.isEmpty)
        }
    }

    @Test("A file that is cut off in the middle leaves nothing behind")
    func cut() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let folder = fixture.directory.path + "/web/uploads"
            let peer = try WebPeer(port: fixture.port)
            let head = [
                "POST /api/v1/uploads?name=x HTTP/1.1", "Host: \(fixture.host)", "Idempotency-Key: k",
                "Content-Type: application/octet-stream", "Content-Length: 100000",
            ]
            await peer.write((head + browser.credentials).joined(separator: "\r\n") + "\r\n\r\nbegun")
            func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: folder).count }
            while try count() == 0 { await Task.yield() }
            peer.hangUp()
            while try count() > 0 { await Task.yield() }
        }
    }

    @Test("Files that wait outlast a restart, not their time, and what a crash left is swept up")
    func restart() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let folder = directory.path + "/uploads"
        func file(_ store: WebUploads, _ text: String) throws -> WebUploads.Upload {
            let file = try #require(store.receive())
            text.utf8.withContiguousStorageIfAvailable { file.append(UnsafeRawBufferPointer($0)) }
            return try store.add(file, name: "../a/..\\b\u{202E}c.txt")
        }
        let kept = try file(WebUploads(folder: folder), "text")
        #expect(kept.name == "bc.txt" && kept.size == 4)
        try Data("x".utf8).write(to: URL(fileURLWithPath: folder + "/cut.part"))
        let again = WebUploads(folder: folder)
        #expect(again[kept.id] == kept)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
        let later = WebUploads(folder: folder) {
            Timestamp(milliseconds: kept.received.milliseconds + WebUploads.milliseconds + 1)
        }
        #expect(later[kept.id] == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test("More than may wait is refused")
    func bounded() throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let store = WebUploads(folder: directory.path + "/uploads")
        for _ in 0..<WebUploads.countLimit { _ = try store.add(try #require(store.receive()), name: "x") }
        let error = #expect(throws: ChatAPIError.self) { try store.add(try #require(store.receive()), name: "x") }
        #expect(error?.code == .tooLarge)
    }

    @Test(
        "Names lose what could lead elsewhere, hide, or turn the direction",
        arguments: [
            ("a.txt", "a.txt"), ("/etc/passwd", "passwd"), ("..", "file"), (".bashrc", "bashrc"), ("", "file"),
            ("C:\\x\\y.exe", "y.exe"), ("a\u{0}\r\nb", "ab"), ("照片 1.jpg", "照片 1.jpg"),
        ])
    func names(_ given: String, _ safe: String) { #expect(WebUploads.safe(given) == safe) }

    @Test("A file is what its first bytes say")
    func kinds() {
        #expect(FileKind.type(of: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) == "image/png")
        #expect(FileKind.type(of: Array("\u{0}\u{0}\u{0} ftypisom0000".utf8)) == "video/mp4")
        #expect(FileKind.type(of: Array("RIFF0000WEBPVP8 ".utf8)) == "image/webp")
        for text in ["<svg", "<html", "MZ", "", "GIF8", "RIFF0000AVI "] {
            #expect(FileKind.type(of: Array(text.utf8)) == "application/octet-stream", "\(text)")
        }
    }
}
