// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: files from program to program", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerFileTransferTests {
    @Test("a file goes from one to the other, and back", arguments: TestServer.all)
    func transfer(_ server: TestServer) async throws {
        try await exchange(server, FileTransferModule())
    }

    @Test("it does so by the protocol before Jingle, where the other side knows no other", arguments: TestServer.all)
    func older(_ server: TestServer) async throws {
        try await exchange(server, OlderFileTransfer())
    }

    private func exchange(_ server: TestServer, _ module: any SessionModule) async throws {
        var configuration = SessionConfiguration()
        configuration.modules += [FileTransferModule()]
        let alice = server.session(try server.account("alice"), configuration)
        configuration.modules.removeLast()
        configuration.modules += [module]
        let bob = server.session(try server.account("bob"), configuration)
        let offers = [alice.fileOffers(), bob.fileOffers()]
        try await alice.connect()
        try await bob.connect()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-ft-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        // Whoever knows Jingle offers by it first, so the one who does not is only sent to.
        let ways = module is FileTransferModule ? [(alice, bob, 1), (bob, alice, 0)] : [(alice, bob, 1)]
        for (from, to, number) in ways {
            let address = try #require(await to.jid)
            let place = folder.appendingPathComponent("\(number)").path
            let incoming = offers[number]
            async let taken = { () async throws -> DownloadedFile? in
                for try await offer in incoming { return try await offer.accept(to: place) }
                return nil
            }()
            try await from.sendFile(.bytes(content), to: address, name: "tea.bin")
            #expect(try await taken?.hash == .sha256(of: content))
            #expect(FileManager.default.contents(atPath: place) == Data(content))
        }
        await alice.disconnect()
        await bob.disconnect()
    }
}

/// What a program says of itself that knows only the protocol before Jingle.
private struct OlderFileTransfer: SessionModule {
    private let all = FileTransferModule()
    var features: [String] { all.features.filter { !$0.hasPrefix("urn:xmpp:jingle:") } }
    var requests: [XMLName] { all.requests }
    func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer { all.answer(request, context) }
}
