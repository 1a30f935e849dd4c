// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Dispatch
import Foundation
import Testing
import TransportTesting
import XMPP

@testable import ChatKit

/// Makes a small picture of whatever it is given, once it may.
private struct SlowWorker: PictureWorker {
    let mayEnd: @Sendable () -> Bool
    let isAsked = Locked(false)

    func make(_ work: PictureWork, from path: String) async throws(ChatError) -> PictureResult {
        isAsked.withLock { $0 = true }
        while !mayEnd() {
            if Task.isCancelled { throw ChatError(.cancelled, "cancelled") }
            await Task.yield()
        }
        var result = PictureResult(width: 4, height: 3)
        result.thumbnail = MadePicture(
            bytes: [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 3, 0, 4, 1, 0, 0, 0], mediaType: "image/jpeg", width: 4,
            height: 3)
        return result
    }
}

@Suite("Transfers while the profile is closed", .timeLimit(.minutes(1)))
struct ClosingTransfersTests {
    private let folder: TemporaryFolder
    private let ann: JID

    init() throws {
        folder = try TemporaryFolder()
        ann = try JID("ann@example.org")
    }

    private func open(
        _ server: HTTPTestServer, worker: (any PictureWorker)? = nil,
        prepare: @escaping @Sendable (FakeLink) -> Void = { _ in }
    ) async throws -> CoreFixture {
        let (endpoint, authority) = (server.endpoint, server.authority)
        return try await CoreFixture.make(folder: folder, prepare: prepare) { configuration in
            configuration.pictureWorker = worker
            configuration.adjustAccess = { access in
                var access = access
                access.server = endpoint
                access.trust = Trust(usesSystemRoots: false, authorityFiles: [authority])
                access.deadline = .seconds(20)
                return access
            }
        }
    }

    /// A contact sends a picture, which is fetched by itself.
    private func receivePicture(_ fixture: CoreFixture) async throws {
        var settings = AccountSettings()
        settings.mediaHosts = ["media.test"]
        try await fixture.core.addAccount(ann, password: "x", settings: settings)
        try await fixture.core.store.write { transaction in
            let account: Int64 = try transaction.connection.value("SELECT id FROM account") ?? 0
            try transaction.upsert(
                RosterEntry(jid: "bo@example.net", subscription: .both, isAsked: false, isApproved: false, groups: []),
                account: account)
        }
        try await fixture.link.receive(
            """
            <message from='bo@example.net/p' id='m1' type='chat'><body>x</body>\
            <file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'><name>tea.jpg</name>\
            <size>1000</size></file><sources><url-data xmlns='http://jabber.org/protocol/url-data' \
            target='https://media.test/a/tea.jpg'/></sources></file-sharing></message>
            """)
    }

    /// Closes the profile when all that was under way has come to its end.
    private func close(_ fixture: CoreFixture) async throws {
        let runner = try fixture.core.runner(ann)
        await runner.stopTransfers()
        while await !runner.downloads.isEmpty { await Task.yield() }
        while await runner.runningUpload != nil { await Task.yield() }
        await fixture.core.close()
    }

    private func file(_ fixture: CoreFixture) async throws -> MessageFile? {
        let conversation = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann)
        return try await fixture.core.history(conversation.id).last?.files.first
    }

    @Test("what was being fetched is fetched when the profile is opened again")
    func download() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try HTTPTestServer { _, _ in
            _ = gate.wait(timeout: .now() + 20)
            return .response("200 OK", ChatCoreFilesTests.jpeg)
        }
        defer { server.stop() }
        let fixture = try await open(server)
        try await receivePicture(fixture)
        while server.requests.isEmpty { await Task.yield() }
        try await close(fixture)
        gate.signal()
        let again = try await open(server)
        #expect(try await file(again)?.state == .wanted)
        gate.signal()
        try await again.core.setPassword("x", of: ann)
        try await again.until { try await file(again)?.state == .here }
        await again.core.close()
    }

    @Test("a picture of which the small one was being made has one when the profile is opened again")
    func thumbnail() async throws {
        let server = try HTTPTestServer { _, _ in .response("200 OK", ChatCoreFilesTests.jpeg) }
        defer { server.stop() }
        let worker = SlowWorker { false }
        let fixture = try await open(server, worker: worker)
        try await receivePicture(fixture)
        while !worker.isAsked.withLock({ $0 }) { await Task.yield() }
        try await close(fixture)
        let again = try await open(server, worker: SlowWorker { true })
        #expect(try await file(again)?.state == .wanted && again.core.media.names().isEmpty)
        try await again.core.setPassword("x", of: ann)
        try await again.until { try await file(again)?.state == .here }
        #expect(try await file(again)?.hasThumbnail == true)
        await again.core.close()
    }

    @Test("what was going up goes up when the profile is opened again, whatever the transfer said of its end")
    func upload() async throws {
        let server = try HTTPTestServer { _, _ in .response("200 OK", []) }
        defer { server.stop() }
        let fixture = try await open(server) { link in
            link.script {
                $0.uploader = { _, _ in
                    do { return try await neverEnding() } catch { throw XMPPError(.transferFailed, "given up") }
                }
            }
        }
        try await fixture.core.addAccount(ann, password: "x")
        let path = fixture.folder.file("tea")
        try Data("tea".utf8).write(to: URL(fileURLWithPath: path))
        let own = try await fixture.core.sendFile(path, to: try JID("bo@example.net"), account: ann).message
        while fixture.link.recorded.uploads.isEmpty { await Task.yield() }
        try await close(fixture)
        let again = try await open(server)
        #expect(try await again.core.message(own.id).state == .queued)
        #expect(try await file(again)?.state == .waiting)
        try await again.core.setPassword("x", of: ann)
        while again.link.messages.isEmpty { await Task.yield() }
        #expect(again.link.messages.map(\.id) == [own.originID])
        await again.core.close()
    }
}
