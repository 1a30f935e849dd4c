// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("ChatCore+Search", .timeLimit(.minutes(1)))
struct ChatCoreSearchTests {
    private func receive(_ link: FakeLink, _ body: String, from: String = "bo@example.net", rest: String = "")
        async throws
    {
        try await link.receive(
            "<message from='\(from)/p' to='ann@example.org' type='chat' id='\(UUID().uuidString)'><body>\(body)</body>\(rest)</message>"
        )
    }

    private func found(_ fixture: CoreFixture, _ text: String, _ change: (inout SearchQuery) -> Void = { _ in })
        async throws -> [String]
    {
        var query = SearchQuery(text)
        change(&query)
        return try await fixture.core.search(query).map(\.message.body)
    }

    @Test("words, phrases, beginnings, ideographs and accents are found, the newest first")
    func texts() async throws {
        let (fixture, _, link) = try await CoreFixture.online()
        for body in ["\u{51C6}\u{5907}\u{5403}\u{996D}\u{4E86}", "at the Caf\u{E9}", "the quick fox", "fox, quick!"] {
            try await receive(link, body)
        }
        #expect(try await found(fixture, "\u{5403}\u{996D}").count == 1)
        #expect(try await found(fixture, "\u{996D}").count == 1)
        #expect(try await found(fixture, "cafe") == ["at the Caf\u{E9}"])
        #expect(try await found(fixture, "fox quick") == ["fox, quick!", "the quick fox"])
        #expect(try await found(fixture, "\"quick fox\"") == ["the quick fox"])
        #expect(try await found(fixture, "fox qui") == ["fox, quick!", "the quick fox"])
        #expect(try await found(fixture, "fox qu").isEmpty)
        #expect(try await found(fixture, "").isEmpty)
        let hit = try #require(try await fixture.core.search(SearchQuery("quick")).last)
        #expect(hit.excerpt.map(\.text) == ["the ", "quick", " fox"])
        #expect(hit.excerpt.map(\.isMatch) == [false, true, false])
    }

    @Test("what was typed sign by sign finds what was sent whole, and the other way round")
    func forms() async throws {
        let (fixture, _, link) = try await CoreFixture.online()
        let words = ["\u{D55C}\u{AE00}\u{C774}", "caf\u{E9}s", "\u{FC}ber", "Vi\u{1EC7}t", "\u{43C}\u{43E}\u{439}"]
        for word in words {
            let forms = [word.precomposedStringWithCanonicalMapping, word.decomposedStringWithCanonicalMapping]
            for form in forms { try await receive(link, "a \(form) b") }
            for form in forms {
                let found = try await fixture.core.search(SearchQuery(form))
                #expect(found.count == 2, "\(word)")
                #expect(found.allSatisfy { $0.excerpt.first { $0.isMatch }?.text == form }, "\(word)")
            }
        }
    }

    @Test(
        "T175 what looks like SQL or an operator of the index is text",
        arguments: [
            "'; DROP TABLE message; --", "a\" OR b", "NEAR(a b)", "body:", "scope : c1", "* ^ -", "\"", "a AND NOT b",
            "\u{0}",
        ])
    func injection(text: String) async throws {
        let (fixture, _, link) = try await CoreFixture.online()
        try await receive(link, "plain")
        _ = try await found(fixture, text)
        #expect(try await found(fixture, "plain") == ["plain"])
    }

    @Test("a search can be held to an account, a conversation, a person, a time, and files")
    func filters() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let start = fixture.time.now
        try await receive(link, "word one")
        fixture.time.advance(10_000)
        try await receive(link, "word two", from: "eve@example.net")
        try await receive(
            link, "word https://x.example/y", rest: "<x xmlns='jabber:x:oob'><url>https://x.example/y</url></x>")
        try await fixture.core.send(to: try JID("bo@example.net"), text: "word mine", account: ann)
        let bo = try await fixture.core.conversation(with: try JID("bo@example.net"), account: ann).id
        #expect(try await found(fixture, "word").count == 4)
        #expect(try await found(fixture, "word") { $0.conversation = bo }.count == 3)
        #expect(try await found(fixture, "word") { $0.person = "eve@example.net" } == ["word two"])
        #expect(try await found(fixture, "word") { $0.person = "Eve@Example.NET" } == ["word two"])
        #expect(try await found(fixture, "word") { $0.isOwn = true } == ["word mine"])
        #expect(try await found(fixture, "word") { $0.until = Date(milliseconds: start + 1) } == ["word one"])
        #expect(try await found(fixture, "word") { $0.since = Date(milliseconds: start + 1) }.count == 3)
        #expect(try await found(fixture, "word") { $0.hasFile = true } == ["word https://x.example/y"])
        #expect(try await found(fixture, "") { $0.hasFile = true }.count == 1)
        #expect(try await found(fixture, "word") { $0.account = ann }.count == 4)
        let first = try #require(try await fixture.core.search(SearchQuery("word"), limit: 1).first)
        #expect(try await found(fixture, "word") { $0.after = first.id }.count == 3)
    }

    @Test("T183 what was changed or taken back is found no more, and its words leave the index")
    func removed() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        let own = try await fixture.core.send(to: try JID("bo@example.net"), text: "hushword", account: ann).message
        while link.messages.isEmpty { await Task.yield() }
        try await fixture.core.correct(own.id, text: "otherword")
        #expect(try await found(fixture, "hushword").isEmpty)
        #expect(try await found(fixture, "otherword") == ["otherword"])
        // What still waits to be sent keeps its text until then.
        while link.messages.count < 2 { await Task.yield() }
        try await link.write()
        try await link.acknowledge()
        try await fixture.core.retract(own.id)
        #expect(try await found(fixture, "otherword").isEmpty)
        await fixture.core.store.scrubbed()
        for file in try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        where file.hasPrefix("chat") {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.folder.file(file)))
            #expect(bytes.range(of: Data("therword".utf8)) == nil, "\(file)")
        }
    }

    @Test("an account that is removed leaves nothing in the index")
    func removedAccount() async throws {
        let (fixture, ann, link) = try await CoreFixture.online()
        try await receive(link, "word")
        try await fixture.core.removeAccount(ann)
        let count: Int? = try await fixture.core.store.read {
            try $0.value("SELECT count(*) FROM message_text WHERE message_text MATCH 'word'")
        }
        #expect(count == 0)
    }
}
