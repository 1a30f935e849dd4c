// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension Schema {
    static let ninth = Migration(
        9, "what waits behind a message, numbers given once, names of corrections"
    ) { connection in
        try connection.execute(waiting + numbers + corrections)
        try composeIndex(connection)
    }

    private static let waiting = """
        -- the message of ours that this is about and that has to go before it
        ALTER TABLE outbox ADD COLUMN behind INTEGER REFERENCES message(id) ON DELETE SET NULL;
        CREATE INDEX outbox_behind ON outbox (behind) WHERE behind IS NOT NULL;

        """

    /// Messages and files are numbered by SQLite so that no number comes again; to make that of tables that others refer to,
    /// each would have to be written anew.
    private static let numbers = """
        -- The highest numbers that rows had which are gone: whoever still holds one finds nothing by it.
        CREATE TABLE highest (name TEXT PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO highest VALUES ('account', 0), ('conversation', 0);
        CREATE TRIGGER account_removed AFTER DELETE ON account BEGIN
            UPDATE highest SET id = max(id, old.id) WHERE name = 'account';
        END;
        CREATE TRIGGER conversation_removed AFTER DELETE ON conversation BEGIN
            UPDATE highest SET id = max(id, old.id) WHERE name = 'conversation';
        END;

        """

    private static let corrections = """
        -- the archive's name of the stanza that brought the text, by which others may take it back
        ALTER TABLE revision ADD COLUMN archive_id TEXT;
        CREATE INDEX revision_archive ON revision (archive_id) WHERE archive_id IS NOT NULL;
        """
}
