// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension Schema {
    static let fourth = Migration(4, "search, pictures", script: search)

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
}
