// SPDX-License-Identifier: Apache-2.0
import ApusSQLite
import Foundation
import Testing

@Suite("WordTokenizer")
struct WordTokenizerTests {
    private func found(_ query: String, in texts: [String]) throws -> [String] {
        let connection = try Connection(.memory)
        try connection.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize='words')")
        for text in texts { try connection.run("INSERT INTO t (body) VALUES (?)", text) }
        return try connection.rows("SELECT body FROM t WHERE t MATCH ? ORDER BY rowid", query) { $0.column(0) }
    }

    @Test(
        "each Han, Kana or Hangul character is a word, in the order of the phrase",
        arguments: [
            ("\u{5403}\u{996D}", true), ("\u{996D}", true), ("\u{51C6}\u{5907}\u{5403}\u{996D}\u{4E86}", true),
            ("\u{996D}\u{5403}", false), ("\u{51C6}\u{5403}", false),
        ])
    func ideographs(query: String, isFound: Bool) throws {
        let text = "\u{51C6}\u{5907}\u{5403}\u{996D}\u{4E86}"
        #expect(try found("\"\(query)\"", in: [text, "rice"]) == (isFound ? [text] : []))
    }

    @Test("words have no case and no accents, and stand beside ideographs without a space")
    func words() throws {
        #expect(try found("cafe", in: ["Caf\u{E9} noir", "caff"]) == ["Caf\u{E9} noir"])
        #expect(try found("CAFE\u{301}", in: ["cafe"]) == ["cafe"])
        #expect(try found("\u{43C}\u{438}\u{440}", in: ["\u{41C}\u{418}\u{420}"]).count == 1)
        #expect(try found("abc", in: ["\u{5403}abc\u{996D}"]).count == 1)
        #expect(try found("\"\u{C548}\u{B155}\"", in: ["\u{C548}\u{B155}\u{D558}\u{C138}\u{C694}"]).count == 1)
        #expect(try found("\"\u{20BB7}\u{5BB6}\"", in: ["x\u{20BB7}\u{5BB6}y"]).count == 1)
    }

    @Test(
        "a text is found however its letters were typed, whole or letter and sign by sign",
        arguments: [
            "\u{D55C}\u{AE00}", "\u{AC01}", "\u{304C}\u{3071}", "\u{43C}\u{43E}\u{439}", "\u{451}\u{43B}\u{43A}\u{430}",
            "\u{3AC}\u{3BB}\u{3C6}\u{3B1}", "Caf\u{E9}", "\u{FC}ber", "Vi\u{1EC7}t", "\u{1EBF}",
            "\u{110}\u{1B0}\u{1EDD}ng",
        ])
    func forms(text: String) throws {
        let (whole, apart) = (text.precomposedStringWithCanonicalMapping, text.decomposedStringWithCanonicalMapping)
        #expect(!whole.unicodeScalars.elementsEqual(apart.unicodeScalars))
        for query in [whole, apart] { #expect(try found("\"\(query)\"", in: [whole, "x", apart]) == [whole, apart]) }
        // Whole or not, it stands between other words.
        #expect(try found("\"a \(whole) b\"", in: ["a \(apart) b"]).count == 1)
    }

    @Test("what is not the same sound is not found: a syllable is no part of another one")
    func syllables() throws {
        let apart = "\u{AC01}".decomposedStringWithCanonicalMapping
        #expect(try found("\"\u{AC00}\"", in: [apart]).isEmpty)
        #expect(
            try found("\u{43C}\u{43E}\u{438}", in: ["\u{43C}\u{43E}\u{439}".decomposedStringWithCanonicalMapping])
                .isEmpty)
    }

    @Test("what is found is marked at its place")
    func highlights() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize='words')")
        try connection.run("INSERT INTO t (body) VALUES (?)", "ab \u{51C6}\u{5907}\u{5403}\u{996D} caf\u{E9}!")
        func marked(_ query: String) throws -> String? {
            try connection.value("SELECT highlight(t, 0, '[', ']') FROM t WHERE t MATCH ?", query)
        }
        #expect(try marked("\"\u{5403}\u{996D}\"") == "ab \u{51C6}\u{5907}[\u{5403}\u{996D}] caf\u{E9}!")
        #expect(try marked("cafe") == "ab \u{51C6}\u{5907}\u{5403}\u{996D} [caf\u{E9}]!")
        let apart = "ab \u{D55C}\u{AE00} caf\u{E9}!".decomposedStringWithCanonicalMapping
        try connection.run("DELETE FROM t")
        try connection.run("INSERT INTO t (body) VALUES (?)", apart)
        let found = try #require(try marked("\"\u{AE00}\""))
        let syllable = "\u{AE00}".decomposedStringWithCanonicalMapping
        #expect(found.utf8.elementsEqual(apart.replacing(syllable, with: "[\(syllable)]").utf8))
        #expect(
            try marked("cafe")?.utf8.elementsEqual(apart.replacing("cafe\u{301}", with: "[cafe\u{301}]").utf8) == true)
    }

    @Test("bytes that are no text, and texts of any length, end in order")
    func strange() throws {
        let connection = try Connection(.memory)
        try connection.execute("CREATE VIRTUAL TABLE t USING fts5(body, tokenize='words')")
        for hex in ["E5", "E590", "F0A0AE", "FF", "E1FF80", "EFBFBDE59083"] {
            try connection.execute("INSERT INTO t (body) VALUES (CAST(x'\(hex)' AS TEXT))")
        }
        try connection.run("INSERT INTO t (body) VALUES (?)", String(repeating: "\u{5403} a", count: 20_000))
        #expect(try connection.value("SELECT count(*) FROM t WHERE t MATCH '\u{5403}'", as: Int.self) == 2)
    }
}
