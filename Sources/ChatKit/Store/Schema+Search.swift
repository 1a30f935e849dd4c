// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension Schema {
    static let fourth = Migration(4, "search, pictures") { connection in
        // As it did when it was released: the ninth step counts on the words of that time.
        try connection.withoutComposing { try connection.execute(search) }
    }

    /// The second column holds a word for the conversation, so that a search in one needs not look at all others.
    ///
    /// The schema is not trusted (`trusted_schema`), so no trigger may write to the index: ``StoreTransaction`` does.
    private static let search = """
        ALTER TABLE message ADD COLUMN has_file INTEGER NOT NULL DEFAULT 0;
        -- the user wrote something there
        ALTER TABLE conversation ADD COLUMN has_sent INTEGER NOT NULL DEFAULT 0;
        UPDATE conversation SET has_sent = EXISTS (
            SELECT 1 FROM message m WHERE m.conversation = conversation.id AND m.direction = 1);

        CREATE VIEW message_search AS SELECT id, body,
            'c' || conversation || CASE WHEN has_file THEN ' file' ELSE '' END AS scope FROM message;
        CREATE VIRTUAL TABLE message_text USING fts5(
            body, scope, content='message_search', content_rowid='id', tokenize='words', columnsize=0);
        INSERT INTO message_text(message_text) VALUES ('rebuild');

        -- The picture of each address, by its name in the folder of pictures.
        CREATE TABLE picture (
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            jid TEXT NOT NULL,
            hash TEXT NOT NULL,
            PRIMARY KEY (account, jid)
        ) STRICT, WITHOUT ROWID;

        -- Values of the profile as a whole.
        CREATE TABLE note (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        """

    /// Indexes those messages anew that have other words since texts are composed.
    static func composeIndex(_ connection: Connection) throws {
        let portion: Int64 = 100_000
        let last: Int64 = try connection.value("SELECT coalesce(max(id), 0) FROM message") ?? 0
        for first in stride(from: 0, to: last, by: Int64.Stride(portion)) {
            // Only a text with more bytes than characters has anything but ASCII.
            let open = try connection.rows(
                """
                SELECT id, body FROM message
                WHERE id > ? AND id <= ? AND length(CAST(body AS BLOB)) > length(body)
                """, first, first + portion
            ) { row in Connection.isOpen(row.column(1)) ? row.column(0, as: Int64.self) : nil }
            for id in open.compactMap(\.self) {
                try connection.withoutComposing {
                    try connection.run(
                        """
                        INSERT INTO message_text(message_text, rowid, body, scope)
                        SELECT 'delete', id, body, scope FROM message_search WHERE id = ?
                        """, id)
                }
                try connection.run(
                    """
                    INSERT INTO message_text(rowid, body, scope) SELECT id, body, scope FROM message_search WHERE id = ?
                    """, id)
            }
        }
    }
}
