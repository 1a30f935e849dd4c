// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// How messages are found by the ids that their senders gave them.
///
/// Such ids are random, so in an index of all of them each new message would change a page somewhere else. The tables of
/// names have a number for each instead, and there are two: what is new goes into a small one, and is moved over part by
/// part, each time to few neighbouring pages.
enum MessageName {
    /// The number of a name in a conversation, of 47 bits; two names may have the same.
    static func hash(_ name: String, in conversation: Int64) -> Int64 {
        var hash = StableHash()
        hash.mix(conversation)
        hash.mix(name)
        // The parts are told apart by the upper bits, into which FNV mixes the last bytes too little.
        let folded = (hash.value ^ hash.value >> 32) &* 0x9E37_79B9_7F4A_7C15
        return Int64(folded >> 17)
    }

    /// The newest messages with a number as `n.message`: so many that nobody can make finding one slow by giving many
    /// messages the same id.
    static let candidates = "(SELECT message FROM message_name WHERE hash = ?1 ORDER BY message DESC LIMIT 500) n"

    /// So many parts, of which each 1024th message moves one over.
    private static let parts: Int64 = 64

    /// The numbers of the part whose turn it is with a message; nil between two turns.
    static func turn(of message: Int64) -> Range<Int64>? {
        guard message & 1023 == 0 else { return nil }
        let width = (1 << 47) / parts
        let first = (message >> 10) % parts * width
        return first..<first + width
    }
}

extension StoreTransaction {
    /// Makes a message known by a name.
    func name(_ name: String, message: Int64, in conversation: Int64) throws {
        let hash = MessageName.hash(name, in: conversation)
        absentNames.remove(hash)
        try connection.run("INSERT OR IGNORE INTO name_new (hash, message) VALUES (?, ?)", hash, message)
    }

    /// Finds out at once which of many names no message has, so that none of these is looked for.
    func look(for hashes: Set<Int64>) throws {
        let found = try connection.rows(
            "SELECT n.hash FROM json_each(?) j CROSS JOIN message_name n ON n.hash = j.value",
            JSONText.array(hashes.sorted())
        ) { $0.column(0, as: Int64.self) }
        absentNames = hashes.subtracting(found)
    }

    /// Moves new names over when it is their turn with this message.
    func moveNames(at message: Int64) throws {
        guard let turn = MessageName.turn(of: message) else { return }
        try connection.run(
            "INSERT OR IGNORE INTO name (hash, message) SELECT hash, message FROM name_new WHERE hash >= ? AND hash < ?",
            turn.lowerBound, turn.upperBound)
        try connection.run(
            "DELETE FROM name_new WHERE hash >= ? AND hash < ?", turn.lowerBound, turn.upperBound)
    }

    /// Takes the names of a message out, before its row goes.
    func unname(message: Int64) throws {
        let names = try connection.first(
            "SELECT conversation, own_id, remote_id, alias FROM message WHERE id = ?", message
        ) { row in
            (row.column(0, as: Int64.self), (1...3).compactMap { row.column($0, as: String?.self) })
        }
        guard let (conversation, texts) = names else { return }
        for text in texts {
            let hash = MessageName.hash(text, in: conversation)
            try connection.run("DELETE FROM name_new WHERE hash = ? AND message = ?", hash, message)
            try connection.run("DELETE FROM name WHERE hash = ? AND message = ?", hash, message)
        }
    }

    /// Takes the names of all messages of an account out, before it goes.
    func unname(account: Int64) throws {
        for table in ["name_new", "name"] {
            try connection.run(
                """
                DELETE FROM \(table) WHERE message IN (
                    SELECT m.id FROM conversation c JOIN message m ON m.conversation = c.id WHERE c.account = ?)
                """, account)
        }
    }
}
