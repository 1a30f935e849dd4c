// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension Schema {
    static let eighth = Migration(8, "names of messages in tables of their own") { connection in
        try connection.execute(names)
        try nameAll(connection)
    }

    /// The tables, without foreign keys: an index for those would be as large as what this replaces.
    ///
    /// Rows of messages are never numbered twice, so a name that is left over finds nothing.
    private static let names = """
        CREATE TABLE name (
            hash INTEGER NOT NULL,
            message INTEGER NOT NULL,
            PRIMARY KEY (hash, message)
        ) STRICT, WITHOUT ROWID;

        -- The same for messages that came lately.
        CREATE TABLE name_new (
            hash INTEGER NOT NULL,
            message INTEGER NOT NULL,
            PRIMARY KEY (hash, message)
        ) STRICT, WITHOUT ROWID;

        CREATE VIEW message_name AS SELECT hash, message FROM name_new UNION ALL SELECT hash, message FROM name;

        -- Two accounts in one room have its messages both.
        DROP INDEX message_archive;
        CREATE UNIQUE INDEX message_archive ON message (archive_jid, archive_id, account) WHERE archive_id IS NOT NULL;

        DROP INDEX message_own;
        DROP INDEX message_remote;
        DROP INDEX message_alias;
        """

    /// Names what is here, in the order of the table, so many messages at once.
    private static func nameAll(_ connection: Connection) throws {
        let portion: Int64 = 500_000
        let last: Int64? = try connection.value("SELECT coalesce(max(id), 0) FROM message")
        var named: Int64 = 0
        while named < last ?? 0 {
            let rows = try connection.rows(
                """
                SELECT id, conversation, coalesce(own_id, remote_id), alias FROM message WHERE id > ? AND id <= ?
                """, named, named + portion
            ) { row -> [(hash: Int64, message: Int64)] in
                let (id, conversation): (Int64, Int64) = (row.column(0), row.column(1))
                return (2...3).compactMap { row.column($0, as: String?.self) }.map {
                    (MessageName.hash($0, in: conversation), id)
                }
            }
            for row in rows.joined().sorted(by: { $0.hash < $1.hash }) {
                try connection.run("INSERT OR IGNORE INTO name (hash, message) VALUES (?, ?)", row.hash, row.message)
            }
            named += portion
        }
    }
}
