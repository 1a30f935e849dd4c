// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP
internal import struct Foundation.Date

extension ChatCore {
    /// The most hits of one answer.
    public static let maximumHits = 200

    /// Messages that hold what is looked for, those that came to this profile last first.
    ///
    /// Nothing but spaces and signs finds nothing, unless files are looked for.
    ///
    /// - Parameters:
    ///   - query: What is looked for, and where.
    ///   - limit: At most so many, no more than ``maximumHits``. Defaults to 20.
    /// - Throws: ``ChatError``: `unknownAccount`, `storageFailed`.
    public func search(_ query: SearchQuery, limit: Int = 20) async throws(ChatError) -> [SearchHit] {
        var account: Int64?
        if let wanted = query.account { account = try runner(wanted).account }
        let (row, limit) = (account, min(max(limit, 0), Self.maximumHits))
        do {
            return try await store.read { try Queries.search($0, query, account: row, limit: limit) }
        } catch {
            throw ChatError(error)
        }
    }
}

extension Queries {
    /// Marks around what was found, which no text can hold after they were taken out.
    private static let (opening, closing) = ("\u{2}", "\u{3}")

    static func search(
        _ connection: Connection, _ query: SearchQuery, account: Int64?, limit: Int
    ) throws -> [SearchHit] {
        guard let expression = query.expression else { return [] }
        func milliseconds(_ date: Date?) -> Int64? {
            date.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
        }
        // A nickname has any spelling, an address one.
        let person = query.person.map { person in
            person.contains("@") ? (try? JID(person))?.description ?? person : person
        }
        var reader = JIDReader()
        let found = try connection.rows(
            """
            SELECT \(messageColumns), snippet(message_text, 0, ?8, ?9, '\u{2026}', 24)
            FROM message_text t CROSS JOIN \(messageTables)
            WHERE t.message_text MATCH ?1 AND t.rowid < ?2 AND m.id = t.rowid
                AND (?3 IS NULL OR m.account = ?3) AND (?4 IS NULL OR m.sent >= ?4) AND (?5 IS NULL OR m.sent < ?5)
                AND (?6 IS NULL OR m.direction = ?6)
                AND (?7 IS NULL OR m.author_name = ?7 OR m.sender = ?7 OR substr(m.sender, 1, length(?7) + 1) = ?7 || '/')
            ORDER BY t.rowid DESC LIMIT ?10
            """, expression, query.after?.rawValue ?? .max, account, milliseconds(query.since),
            milliseconds(query.until), query.isOwn, person, opening, closing, limit
        ) { row in
            (try message(row, &reader), row.column(messageColumnCount, as: String.self))
        }
        let messages = try complete(connection, found.map(\.0))
        return zip(messages, found).map { SearchHit(message: $0, excerpt: pieces($1.1)) }
    }

    private static func pieces(_ text: String) -> [SearchHit.Piece] {
        var pieces: [SearchHit.Piece] = []
        var isMatch = false
        var piece = ""
        func end() {
            if !piece.isEmpty { pieces.append(.init(text: piece, isMatch: isMatch)) }
            piece = ""
        }
        for character in text.unicodeScalars {
            switch character {
            case "\u{2}", "\u{3}":
                end()
                isMatch = character == "\u{2}"
            default: piece.unicodeScalars.append(character)
            }
        }
        end()
        return pieces
    }
}
