// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
import Testing
import TransportTesting
@testable import XMPP
import XMPPTesting

@Suite("Uploads (XEP-0363)", .timeLimit(.minutes(1)))
struct XMPPSessionUploadTests {
    func access(_ server: HTTPTestServer) -> HTTPAccess {
        var access = HTTPAccess()
        access.trustedHosts = ["media.test"]
        access.trust = Trust(usesSystemRoots: false, authorityFiles: [server.authority])
        access.server = server.endpoint
        access.deadline = .seconds(20)
        return access
    }

    func announce(_ online: OnlineSession, limit: String = "1000000") async {
        await online.reply(
            "<query xmlns='http://jabber.org/protocol/disco#items'><item jid='upload.example.org'/></query>")
        await online.reply(
            """
            <query xmlns='http://jabber.org/protocol/disco#info'><feature var='urn:xmpp:http:upload:0'/>\
            <x xmlns='jabber:x:data' type='result'><field var='FORM_TYPE' type='hidden'>\
            <value>urn:xmpp:http:upload:0</value></field><field var='max-file-size'><value>\(limit)</value></field></x></query>
            """)
    }

    func slot(_ online: OnlineSession, put: String = "https://media.test/up/b%20c", _ fields: String = "") async
        -> Element
    {
        await online.reply(
            """
            <slot xmlns='urn:xmpp:http:upload:0'><put url='\(put)'>\(fields)</put>\
            <get url='https://media.test/down/b%20c'/></slot>
            """)
    }

    @Test("B162 a file is sent with its exact length and type, and its address is given when the server has it")
    func uploads() async throws {
        let server = try HTTPTestServer { _, _ in .response("201 Created") }
        defer { server.stop() }
        let online = try await OnlineSession()
        let rules = access(server)
        let told = Locked<TransferProgress?>(nil)
        async let uploading = online.session.upload(
            .bytes([1, 2, 3]), name: "../б1 été.jpg", mediaType: "image/jpeg", access: rules
        ) { progress in told.withLock { $0 = progress } }
        await announce(online)
        let asked = await slot(
            online, "<header name='Authorization'>Basic x</header><header name='X-Evil'>y</header>")
        #expect(asked["filename"] == "б1 été.jpg" && asked["size"] == "3" && asked["content-type"] == "image/jpeg")
        let file = try await uploading
        #expect(file.url == "https://media.test/down/b%20c")
        #expect(file.metadata.hashes == [.sha256(of: [1, 2, 3])] && file.metadata.byteCount == 3)
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT" && request.path == "/up/b%20c" && request.body == [1, 2, 3])
        #expect(request.values("authorization") == ["Basic x"] && request.values("x-evil").isEmpty)
        #expect(request.values("content-type") == ["image/jpeg"] && request.values("content-length") == ["3"])
        #expect(told.withLock { $0?.fraction } == 1)
        let message = Message.file(file.shared, to: try JID("bo@example.org"))
        #expect(message.attachmentURL == file.url)
        // The service is known for the rest of the stream.
        async let second = online.session.upload(.bytes([]), name: "x", access: rules)
        _ = await slot(online)
        #expect(try await second.metadata.byteCount == 0)
        await online.end()
    }

    @Test("T148 a cut at the end and an error are followed by a new place and the whole file again")
    func again() async throws {
        let content = [UInt8](repeating: 7, count: 300_000)
        let server = try HTTPTestServer { _, number in
            switch number {
            case 1: .cut([])
            case 2: .response("500 Oops")
            default: .response("201 Created")
            }
        }
        defer { server.stop() }
        let online = try await OnlineSession()
        let rules = access(server)
        async let uploading = online.session.upload(.bytes(content), name: "x", access: rules)
        await announce(online)
        for number in 1...3 { _ = await slot(online, put: "https://media.test/\(number)") }
        #expect(try await uploading.metadata.hashes == [.sha256(of: content)])
        #expect(server.requests.map(\.path) == ["/1", "/2", "/3"])
        #expect(server.requests.last?.body == content)
        await online.end()
    }

    @Test(
        "T148 nothing is told to be there after a refusal",
        arguments: [("413 Too Large", "fileTooLarge"), ("400 No", "httpRefused")])
    func refused(_ status: String, _ code: String) async throws {
        let server = try HTTPTestServer { _, _ in .response(status) }
        defer { server.stop() }
        let online = try await OnlineSession()
        let rules = access(server)
        async let failed = failure { _ = try await online.session.upload(.bytes([1]), name: "x", access: rules) }
        await announce(online)
        _ = await slot(online)
        #expect(await failed?.code.rawValue == code)
        #expect(server.requests.count == 1)
        await online.end()
    }

    @Test("B161 a file over the limit is not even asked for")
    func limit() async throws {
        let online = try await OnlineSession()
        async let failed = failure { _ = try await online.session.upload(.bytes([1, 2, 3]), name: "x") }
        await announce(online, limit: "2")
        let error = await failed
        #expect(error?.code == .fileTooLarge && error?.description.contains("2 bytes") == true)
        await online.settle()
        await online.end()
    }

    @Test(
        "T150 a place on this machine, without encryption or malformed is not used",
        arguments: ["https://127.0.0.1/", "http://media.test/", "https://a@media.test/", "https://other.test/"])
    func badPlace(_ url: String) async throws {
        let server = try HTTPTestServer { _, _ in .response("201 Created") }
        defer { server.stop() }
        let online = try await OnlineSession()
        let rules = access(server)
        async let failed = failure { _ = try await online.session.upload(.bytes([1]), name: "x", access: rules) }
        await announce(online)
        _ = await slot(online, put: url)
        let code = await failed?.code
        #expect(code == .forbiddenAddress || code == .badURL)
        #expect(server.connections == 0)
        await online.end()
    }

    @Test("a file that changes while it is sent is not announced")
    func changes() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("apus-\(UUID().uuidString)")
        try Data([1, 2, 3]).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try HTTPTestServer { _, _ in
            try? Data([4, 5, 6, 7]).write(to: file)
            if let handle = try? FileHandle(forWritingTo: file) {
                _ = try? handle.seekToEnd()
                try? handle.write(contentsOf: Data([8]))
            }
            return .response("201 Created")
        }
        defer { server.stop() }
        let online = try await OnlineSession()
        let rules = access(server)
        async let failed = failure { _ = try await online.session.upload(.file(file.path), access: rules) }
        await announce(online)
        let asked = await slot(online)
        #expect(asked["filename"] == file.lastPathComponent)
        #expect(await failed?.code == .fileUnusable)
        await online.end()
    }

    @Test("what is no file is not read", arguments: ["/dev/zero", "/tmp", "/nonexistent"])
    func noFile(_ path: String) async throws {
        let online = try await OnlineSession()
        #expect(await failure { _ = try await online.session.upload(.file(path)) }?.code == .fileUnusable)
        await online.end()
    }

    @Test("without a service files go to the media server, or nowhere")
    func mediaServer() async throws {
        let server = try HTTPTestServer { _, _ in .response("201 Created") }
        defer { server.stop() }
        let online = try await OnlineSession()
        let rules = access(server)
        let media = try #require(MediaServer(baseURL: "https://media.test/files/Image/"))
        for server in [media, nil] {
            async let result = failure {
                let file = try await online.session.upload(
                    .bytes([1]), name: "a.JPG", mediaType: "image/jpeg", access: rules, mediaServer: server)
                #expect(file.url.hasPrefix("https://media.test/files/Image/") && file.url.hasSuffix(".jpg"))
            }
            await online.reply("<query xmlns='http://jabber.org/protocol/disco#items'/>")
            await online.reply("<query xmlns='http://jabber.org/protocol/disco#info'/>")
            #expect(await result?.code == (server == nil ? .notSupported : nil))
        }
        #expect(server.requests.map(\.method) == ["PUT"])
        await online.end()
    }

    func failure(_ work: @Sendable () async throws -> Void) async -> XMPPError? {
        do {
            try await work()
            return nil
        } catch { return error as? XMPPError }
    }
}
