// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: files from program to program", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerFileTransferTests {
    @Test("a file goes from one to the other, and back", arguments: TestServer.all)
    func transfer(_ server: TestServer) async throws {
        var configuration = SessionConfiguration()
        configuration.modules.append(FileTransferModule())
        let alice = server.session(try server.account("alice"), configuration)
        let bob = server.session(try server.account("bob"), configuration)
        let offers = [alice.fileOffers(), bob.fileOffers()]
        try await alice.connect()
        try await bob.connect()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-ft-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let content = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        for (number, (from, to)) in [(alice, bob), (bob, alice)].enumerated() {
            let address = try #require(await to.jid)
            let place = folder.appendingPathComponent("\(number)").path
            let incoming = offers[1 - number]
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
