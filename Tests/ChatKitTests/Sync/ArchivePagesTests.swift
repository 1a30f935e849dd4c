// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import ApusTransport
import Dispatch
import Testing
import XMPP

@testable import ChatKit

@Suite("Pages that come while others are written", .timeLimit(.minutes(1)))
struct ArchivePagesTests {
    private func pages(_ archive: FakeArchive, _ count: Int, of size: Int) async throws -> [CatchUpPage] {
        for number in 1...count * size { try archive.fromBo("a\(number)", "\(number)") }
        var pages: [CatchUpPage] = []
        for number in 0..<count {
            let position: CatchUpPosition = number == 0 ? .beginning : .after("a\(number * size)")
            pages.append(try await archive.page(position, limit: size))
        }
        return pages
    }

    @Test("pages that wait share one transaction, and the anchor follows them in order")
    func together() async throws {
        let fixture = try await StoreFixture.make()
        let made = try await pages(FakeArchive(), 5, of: 10)
        let writes = Locked(0)
        let signal = fixture.store.hub.subscribe { _ in
            writes.withLock { $0 += 1 }
            return false
        }
        defer { signal.take() }
        // The disk is busy while they come.
        let (began, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let busy = Task.detached {
            try await fixture.store.write { _ in
                began.signal()
                goOn.wait()
            }
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                began.wait()
                continuation.resume()
            }
        }
        let intake = ArchivePages(own: fixture.session)
        for page in made { try await intake.add(page) }
        #expect(try await fixture.session.anchor() == nil)
        goOn.signal()
        try await busy.value
        try await intake.finish()
        // The first page was begun before the others came.
        #expect(writes.withLock { $0 } == 2)
        #expect(try await fixture.session.anchor()?.lastID == "a50")
        #expect(try await fixture.bodies() == (1...50).map(String.init))
    }

    @Test("a page that is not stable is written, and moves no anchor; one behind it does")
    func unstable() async throws {
        let fixture = try await StoreFixture.make()
        var made = try await pages(FakeArchive(), 3, of: 2)
        made[1].isStable = false
        let intake = ArchivePages(own: fixture.session)
        for page in made.prefix(2) { try await intake.add(page) }
        try await intake.finish()
        #expect(try await fixture.session.anchor()?.lastID == "a2")
        #expect(try await fixture.bodies() == ["1", "2", "3", "4"])
        try await intake.add(made[2])
        try await intake.finish()
        #expect(try await fixture.session.anchor()?.lastID == "a6")
    }

    @Test("C10 when a page cannot be written none behind it is, and whoever adds them hears of it")
    func failing() async throws {
        let fixture = try await StoreFixture.make()
        var made = try await pages(FakeArchive(), 3, of: 2)
        let long = FakeArchive()
        try long.fromBo("a3", String(repeating: "long ", count: 20_000))
        try long.fromBo("a4", "4")
        made[1] = try await long.page(.beginning, limit: 2)
        let intake = ArchivePages(own: fixture.session)
        try await intake.add(made[0])
        try await intake.finish()
        // The disk is full.
        try await fixture.store.write { try $0.connection.execute("PRAGMA max_page_count=1") }
        await #expect(throws: (any Error).self) {
            try await intake.add(made[1])
            try await intake.finish()
        }
        try await fixture.store.write { try $0.connection.execute("PRAGMA max_page_count=1000000") }
        await #expect(throws: (any Error).self) { try await intake.add(made[2]) }
        #expect(try await fixture.session.anchor()?.lastID == "a2")
        #expect(try await fixture.bodies() == ["1", "2"])
        // Another one goes on where the anchor is.
        let next = ArchivePages(own: fixture.session)
        for page in made.dropFirst() { try await next.add(page) }
        try await next.finish()
        #expect(try await fixture.session.anchor()?.lastID == "a6")
        #expect(try await fixture.bodies().suffix(3) == ["4", "5", "6"])
    }

    @Test("a relaxed transaction alone waits for no disk, whether it ends well or not")
    func relaxed() async throws {
        let store = try await StoreFixture.make().store
        func level(isRelaxed: Bool) async throws -> Int? {
            try await store.write(isRelaxed: isRelaxed) { try $0.connection.value("PRAGMA synchronous") }
        }
        #expect(try await level(isRelaxed: true) == 1)
        #expect(try await level(isRelaxed: false) == 2)
        await #expect(throws: SQLiteError.self) {
            try await store.write(isRelaxed: true) { try $0.connection.execute("SELECT nothing") }
        }
        #expect(try await level(isRelaxed: false) == 2)
    }

    @Test("more than can wait holds up whoever adds it until the disk has followed")
    func bounded() async throws {
        let fixture = try await StoreFixture.make()
        let made = try await pages(FakeArchive(), 45, of: 100)
        let intake = ArchivePages(own: fixture.session)
        for page in made { try await intake.add(page) }
        try await intake.finish()
        #expect(try await fixture.session.anchor()?.lastID == "a4500")
    }
}
