// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Dispatch
import Foundation
import Testing
import TransportTesting
import XMPP

@testable import ChatKit

@Suite("AccountRunner+Downloads", .timeLimit(.minutes(1)))
struct AccountRunnerDownloadsTests {
    static let url = "https://media.test/a/tea.jpg"

    /// A core whose files come from a server of the test; `media.test` is trusted when `trusts` says so.
    private func online(
        _ server: HTTPTestServer, trusts: Bool = true, folder: TemporaryFolder? = nil, quota: Int64 = 1 << 30,
        settings change: (inout AccountSettings) -> Void = { _ in }
    ) async throws -> (CoreFixture, JID, FakeLink) {
        let (endpoint, authority) = (server.endpoint, server.authority)
        let fixture = try await CoreFixture.make(
            folder: folder,
            configure: { configuration in
                configuration.fileCacheBytes = quota
                configuration.adjustAccess = { access in
                    var access = access
                    access.server = endpoint
                    access.trust = Trust(usesSystemRoots: false, authorityFiles: [authority])
                    access.deadline = .seconds(20)
                    return access
                }
            })
        let ann = try JID("ann@example.org")
        try await fixture.core.addAccount(ann, password: "x")
        var settings = AccountSettings()
        if trusts { settings.mediaHosts = ["media.test"] }
        change(&settings)
        try await fixture.core.setSettings(settings, of: ann)
        return (fixture, ann, fixture.link)
    }

    private func befriend(_ fixture: CoreFixture, _ peer: String = "bo@example.net") async throws {
        try await fixture.core.store.write { transaction in
            let account: Int64 = try transaction.connection.value("SELECT id FROM account") ?? 0
            try transaction.upsert(
                RosterEntry(jid: peer, subscription: .both, isAsked: false, isApproved: false, groups: []),
                account: account)
        }
    }

    private func message(
        _ url: String = url, size: Int? = nil, hash: [UInt8]? = nil, from: String = "bo@example.net", id: String = "m1"
    ) -> String {
        let digest = hash.map {
            "<hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>\(Data($0).base64EncodedString())</hash>"
        }
        return """
            <message from='\(from)/p' id='\(id)' type='chat'><body>\(url)</body><x xmlns='jabber:x:oob'><url>\(url)</url></x>\
            <fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:sfs:0'><body/></fallback>\
            <file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'><name>tea.jpg</name>\
            \(size.map { "<size>\($0)</size>" } ?? "")\(digest ?? "")</file><sources>\
            <url-data xmlns='http://jabber.org/protocol/url-data' target='\(url)'/></sources></file-sharing></message>
            """
    }

    private func last(_ fixture: CoreFixture, _ ann: JID, _ peer: String = "bo@example.net") async throws -> ChatMessage
    {
        let conversation = try await fixture.core.conversation(with: try JID(peer), account: ann)
        return try #require(try await fixture.core.history(conversation.id).last)
    }

    private func state(_ fixture: CoreFixture, _ ann: JID, _ peer: String = "bo@example.net") async throws
        -> MessageFile.State?
    {
        try await last(fixture, ann, peer).files.first?.state
    }

    @Test("T149 a contact's picture comes by itself, a stranger's only when it is asked for")
    func automatic() async throws {
        let content = ChatCoreFilesTests.jpeg
        let server = try HTTPTestServer { _, _ in .response("200 OK", content) }
        defer { server.stop() }
        let (fixture, ann, link) = try await online(server)
        try await befriend(fixture)
        try await link.receive(message(size: 1000, from: "eve@example.net"))
        try await link.receive(message(size: 1000))
        try await fixture.until { try await self.state(fixture, ann) == .here }
        #expect(server.requests.count == 1)
        #expect(try await state(fixture, ann, "eve@example.net") == .remote)
        let file = try #require(try await last(fixture, ann).files.first)
        #expect(file.isProven && file.mediaType == "image/jpeg" && file.byteCount == 1000)
        let local = try #require(try await fixture.core.localFile(try await last(fixture, ann).id))
        #expect(FileManager.default.contents(atPath: local.path) == Data(content) && local.mediaType == "image/jpeg")
        // Asked for, the stranger's comes too, once for two who ask.
        let strange = try await last(fixture, ann, "eve@example.net").id
        #expect(try await fixture.core.localFile(strange) == nil)
        async let one = fixture.core.fetchFile(strange)
        async let two = fixture.core.fetchFile(strange)
        #expect(try await one.path == two.path)
        #expect(server.requests.count == 2)
    }

    @Test(
        "T150 a link to this machine or a private network is not followed, unless its host is the account's own choice")
    func addresses() async throws {
        let server = try HTTPTestServer { _, _ in .response("200 OK", ChatCoreFilesTests.jpeg) }
        defer { server.stop() }
        let (fixture, ann, link) = try await online(server, trusts: false)
        try await befriend(fixture)
        try await link.receive(message(size: 1000))
        try await fixture.until {
            if case .refused = try await self.state(fixture, ann) { true } else { false }
        }
        #expect(server.connections == 0)
        let id = try await last(fixture, ann).id
        let error = await #expect(throws: ChatError.self) { try await fixture.core.fetchFile(id) }
        #expect(error?.code.rawValue == "forbiddenAddress")
        for url in [
            "https://127.0.0.1:8443/x", "https://[::1]/x", "https://169.254.169.254/latest", "http://media.test/x",
        ] {
            try await link.receive(message(url, size: 10, id: "m-\(url.count)"))
            let id = try await last(fixture, ann).id
            await #expect(throws: ChatError.self) { try await fixture.core.fetchFile(id) }
        }
        #expect(server.connections == 0)
    }

    @Test("T150 the port of the program's own interface is never reached, whoever is trusted")
    func ownPort() async throws {
        let server = try HTTPTestServer { _, _ in .response("200 OK", ChatCoreFilesTests.jpeg) }
        defer { server.stop() }
        let (endpoint, port) = (server.endpoint, UInt16(8443))
        let fixture = try await CoreFixture.make(configure: { configuration in
            configuration.ownPorts = { [port] }
            configuration.adjustAccess = { access in
                var access = access
                access.server = endpoint
                return access
            }
        })
        let ann = try JID("ann@example.org")
        try await fixture.core.addAccount(ann, password: "x")
        var settings = AccountSettings()
        settings.mediaHosts = ["127.0.0.1", "localhost"]
        try await fixture.core.setSettings(settings, of: ann)
        for (number, host) in ["127.0.0.1", "localhost"].enumerated() {
            try await fixture.link.receive(message("https://\(host):\(port)/x", id: "p\(number)"))
            let id = try await last(fixture, ann).id
            await #expect(throws: ChatError.self) { try await fixture.core.fetchFile(id) }
        }
        #expect(server.connections == 0)
    }

    @Test("a picture of a tutorial's program, of which only the address is known, comes from a contact by itself")
    func tutorial() async throws {
        let server = try HTTPTestServer { _, _ in .response("200 OK", ChatCoreFilesTests.jpeg) }
        defer { server.stop() }
        let (fixture, ann, link) = try await online(server)
        try await befriend(fixture)
        try await link.receive(
            "<message from='bo@example.net/p' id='t' type='chat' bodyType='image'><body>\(Self.url)</body></message>")
        try await fixture.until { try await self.state(fixture, ann) == .here }
        let message = try await last(fixture, ann)
        #expect(message.body.isEmpty && message.files.first?.kind == .picture && message.files.first?.isProven == true)
    }

    @Test("of two who wait for a file one can go, at once, and the other gets it")
    func oneGoes() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try HTTPTestServer { _, _ in
            _ = gate.wait(timeout: .now() + 20)
            return .response("200 OK", ChatCoreFilesTests.jpeg)
        }
        defer { server.stop() }
        let (fixture, ann, link) = try await online(server)
        try await link.receive(message())
        let id = try await last(fixture, ann).id
        let runner = try fixture.core.runner(ann)
        let tasks = [1, 2].map { _ in Task { try await fixture.core.fetchFile(id) } }
        while await runner.downloads.values.first?.askers.count != 2 { await Task.yield() }
        tasks[0].cancel()
        let error = await #expect(throws: ChatError.self) { try await tasks[0].value }
        #expect(error?.code == .cancelled)
        gate.signal()
        #expect(try await tasks[1].value.byteCount == 1000)
        #expect(server.requests.count == 1)
    }

    @Test("an upload that goes on holds up no file that comes")
    func bothWays() async throws {
        let server = try HTTPTestServer { _, _ in .response("200 OK", ChatCoreFilesTests.jpeg) }
        defer { server.stop() }
        let (fixture, ann, link) = try await online(server)
        try await befriend(fixture)
        link.script { $0.uploader = { _, _ in try await neverEnding() } }
        let path = fixture.folder.file("a")
        try Data("a".utf8).write(to: URL(fileURLWithPath: path))
        try await fixture.core.sendFile(path, to: try JID("eve@example.net"), account: ann)
        while link.recorded.uploads.isEmpty { await Task.yield() }
        try await link.receive(message())
        try await fixture.until { try await self.state(fixture, ann) == .here }
        await fixture.core.close()
    }

    @Test("T151 a file without end, of a size or hash that was not announced, is thrown away")
    func lies() async throws {
        let server = try HTTPTestServer { request, _ in
            .response("200 OK", [UInt8](repeating: 7, count: request.path.hasSuffix("long") ? 5000 : 1000))
        }
        defer { server.stop() }
        let (fixture, ann, link) = try await online(server) { $0.fetchesFilesUpTo = 2000 }
        try await befriend(fixture)
        // Nobody tells the size, and it is over the limit of what comes unasked.
        try await link.receive(message("https://media.test/long", id: "a"))
        try await fixture.until {
            if case .refused(let failure) = try await self.state(fixture, ann) {
                failure.text?.contains("larger than 2000") == true
            } else {
                false
            }
        }
        try await link.receive(message("https://media.test/size", size: 999, id: "b"))
        try await link.receive(
            message("https://media.test/hash", size: 1000, hash: [UInt8](repeating: 1, count: 32), id: "c"))
        let conversation = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann)
        try await fixture.until {
            try await fixture.core.history(conversation.id).allSatisfy { message in
                if case .refused = message.files.first?.state { true } else { false }
            }
        }
        #expect(fixture.core.media.names().isEmpty)
        // Asked for, the long one comes: then another limit holds.
        let id = try #require(try await fixture.core.history(conversation.id).first?.id)
        #expect(try await fixture.core.fetchFile(id).byteCount == 5000)
    }

    @Test("T154 what claims to be a picture and is none is only offered for saving")
    func wrongKind() async throws {
        let server = try HTTPTestServer { _, _ in
            .response("200 OK", Array("<svg onload='x'/>".utf8), fields: ["Content-Type: image/png"])
        }
        defer { server.stop() }
        let (fixture, ann, link) = try await online(server)
        try await link.receive(message())
        let local = try await fixture.core.fetchFile(try await last(fixture, ann).id)
        #expect(local.mediaType == "application/octet-stream" && local.thumbnail == nil)
        let file = try #require(try await last(fixture, ann).files.first)
        #expect(!file.isProven && !file.hasThumbnail)
    }

    @Test("T151 the folder of files keeps to its quota: what was not looked at for longest goes, and comes again")
    func quota() async throws {
        let server = try HTTPTestServer { _, _ in .response("200 OK", ChatCoreFilesTests.jpeg) }
        defer { server.stop() }
        let (fixture, ann, link) = try await online(server, quota: 3500)
        for number in 0..<5 {
            try await link.receive(message("https://media.test/\(number)", id: "q\(number)"))
            fixture.time.advance(1000)
            _ = try await fixture.core.fetchFile(try await last(fixture, ann).id)
        }
        while fixture.core.media.names().count > 3 { await Task.yield() }
        let conversation = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann)
        let states = try await fixture.core.history(conversation.id).map { $0.files.first?.state }
        #expect(states.first == .remote && states.last == .here)
        let first = try #require(try await fixture.core.history(conversation.id).first?.id)
        #expect(try await fixture.core.fetchFile(first).byteCount == 1000)
        #expect(server.requests.count == 6)
    }

    @Test("T183 a message that is taken back takes its file with it, and so does the end of its account")
    func removed() async throws {
        let server = try HTTPTestServer { _, _ in .response("200 OK", ChatCoreFilesTests.jpeg) }
        defer { server.stop() }
        let (fixture, ann, link) = try await online(server)
        for id in ["r1", "r2"] {
            try await link.receive(message(id: id))
            _ = try await fixture.core.fetchFile(try await last(fixture, ann).id)
        }
        #expect(fixture.core.media.names().count == 2)
        try await link.receive(
            """
            <message from='bo@example.net/p' type='chat' id='x'><retract xmlns='urn:xmpp:message-retract:1' id='r1'/>\
            <body>gone</body></message>
            """)
        while fixture.core.media.names().count > 1 { await Task.yield() }
        try await fixture.core.removeAccount(ann)
        while !fixture.core.media.names().isEmpty { await Task.yield() }
    }

    @Test("T182 what a crash left in the folder goes when the profile is opened; what rows have stays")
    func strays() async throws {
        let folder = try TemporaryFolder()
        let server = try HTTPTestServer { _, _ in .response("200 OK", ChatCoreFilesTests.jpeg) }
        defer { server.stop() }
        let (fixture, ann, link) = try await online(server, folder: folder)
        try await link.receive(message())
        let local = try await fixture.core.fetchFile(try await last(fixture, ann).id)
        await fixture.core.close()
        for name in ["abc", "abc.part"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file("media/" + name)))
        }
        let again = try await CoreFixture.make(folder: folder)
        #expect(again.core.media.names().map { again.core.media.path(of: $0) } == [local.path])
        await again.core.close()
    }
}
