// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: uploads", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerUploadTests {
    @Test("a file goes up, its link goes to a friend, and the friend fetches it", arguments: TestServer.all)
    func upload(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        let bob = server.session(try server.account("bob"))
        let incoming = bob.messages()
        try await alice.connect()
        try await bob.connect()
        let service = try #require(try await alice.uploadService())
        #expect(service.maximumBytes == 10_485_760)
        let content = [0xFF, 0xD8, 0xFF] + (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-up-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("б1 été.jpg")
        try Data(content).write(to: source)

        var access = HTTPAccess()
        // The servers of these tests are on this machine.
        access.trustedHosts = ["localhost", "127.0.0.1"]
        let file = try await alice.upload(.file(source.path), mediaType: "image/jpeg", access: access)
        let bobJID = try #require(await bob.jid)
        try await alice.send(.file(file.shared, to: bobJID))

        var shared: SharedFile?
        for try await message in incoming {
            shared = message.sharedFiles.first
            break
        }
        let metadata = try #require(shared?.metadata)
        #expect(metadata.name == "б1 été.jpg" && metadata.byteCount == content.count)
        let place = folder.appendingPathComponent("fetched").path
        let fetched = try await bob.httpFiles(access).download(
            try #require(shared?.urls.first), to: place, expecting: metadata)
        #expect(fetched.kind == .jpeg && fetched.hash == metadata.hashes.first)
        #expect(FileManager.default.contents(atPath: place) == Data(content))

        // Nobody else's rules let this machine be reached.
        await #expect(throws: XMPPError.self) {
            _ = try await bob.httpFiles().data(from: file.url)
        }
        await alice.disconnect()
        await bob.disconnect()
    }

    @Test("a file over the limit is refused here, and by the server", arguments: TestServer.all)
    func limit(_ server: TestServer) async throws {
        let alice = server.session(try server.account("alice"))
        try await alice.connect()
        let service = try #require(try await alice.uploadService())
        await #expect(throws: XMPPError.self) {
            _ = try await alice.requestUploadSlot(name: "a", byteCount: 20 << 20, at: service)
        }
        let request = Element(
            XMLName("request", "urn:xmpp:http:upload:0"), attributes: ["filename": "a", "size": "20971520"])
        do {
            _ = try await alice.get(request, to: service.jid)
            Issue.record("the server gave a place")
        } catch let error as XMPPError { #expect(error.uploadLimit == 10_485_760) }
        await alice.disconnect()
    }
}
