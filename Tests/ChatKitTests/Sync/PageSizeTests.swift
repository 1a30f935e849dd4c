// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Testing
import XMPP

@testable import ChatKit

@Suite("How many messages are asked for at once", .timeLimit(.minutes(1)))
struct PageSizeTests {
    private static func page(_ count: Int, bytes: Int = 1) throws -> CatchUpPage {
        let archive = FakeArchive()
        for number in 0..<count { try archive.fromBo("a\(number)", String(repeating: "x", count: bytes)) }
        return CatchUpPage(messages: archive.all, isComplete: false)
    }

    @Test("full pages that come quickly become larger, slow ones smaller, others stay")
    func adapts() throws {
        var size = PageSize()
        #expect(size.limit == 100)
        size.took(5000, for: try Self.page(100))
        size.took(1, for: try Self.page(50))
        size.took(1, for: try Self.page(100, bytes: 3000))
        #expect(size.limit == 100)
        var limits: [Int] = []
        for _ in 0..<4 {
            size.took(4999, for: try Self.page(size.limit))
            limits.append(size.limit)
        }
        #expect(limits == [200, 400, 500, 500])
        size.took(19_999, for: try Self.page(size.limit))
        #expect(size.limit == 500)
        limits = []
        // A page that is small already is not what makes it slow.
        for _ in 0..<4 {
            size.took(20_000, for: try Self.page(size.limit))
            limits.append(size.limit)
        }
        #expect(limits == [250, 125, 100, 100])
    }

    @Test("after a failure the size is the usual one, for good; the usual one cannot become smaller that way")
    func failures() throws {
        var size = PageSize()
        let usual = size.failed()
        #expect(!usual)
        size.took(0, for: try Self.page(100))
        let large = size.failed()
        #expect(large && size.limit == 100)
        size.took(0, for: try Self.page(100))
        #expect(size.limit == 100)
    }

    @Test("a catch-up asks for more and more, and for less where the server refuses")
    func catchUp() async throws {
        let archive = FakeArchive()
        try archive.fromBo("a0", "0")
        let (fixture, ann, link) = try await ChatCoreFillingTests.online(archive)
        for number in 1...1500 { try archive.fromBo("a\(number)", "\(number)") }
        archive.script {
            $0.limits = []
            $0.most = 200
        }
        try await ChatCoreFillingTests.restart(link, ann)
        try await fixture.until {
            try await fixture.core.store.read { try $0.value("SELECT count(*) FROM message") ?? 0 } == 1500
        }
        try await ChatCoreFillingTests.caughtUp(fixture, ann)
        #expect(archive.limits.filter { $0 == 200 }.count == 1)
        let refused = try #require(archive.limits.firstIndex { $0 > 200 })
        #expect(archive.limits[refused...].dropFirst().allSatisfy { $0 <= 100 })
    }
}
