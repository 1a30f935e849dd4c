// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension Schema {
    static let sixth = Migration(6, "files", script: files)

    /// A file of a message.
    ///
    /// What a sender says of it and what its bytes turned out to be stand in columns of their own.
    private static let files = """
        CREATE TABLE file (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
            conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
            -- 0 waiting, 1 uploading, 2 sent, 3 failed, 4 cancelled; 10 remote, 11 wanted, 12 here, 13 refused
            state INTEGER NOT NULL,
            failure TEXT,
            failure_text TEXT,
            -- how often it was tried, and when it may be tried again
            attempts INTEGER NOT NULL DEFAULT 0,
            due INTEGER NOT NULL DEFAULT 0,
            created INTEGER NOT NULL,
            -- as its sender says
            name TEXT,
            media_type TEXT,
            size INTEGER,
            hashes TEXT NOT NULL DEFAULT '',
            width INTEGER,
            height INTEGER,
            duration INTEGER,
            explanation TEXT,
            preview TEXT,
            is_inline INTEGER,
            -- one a line
            sources TEXT NOT NULL DEFAULT '',
            -- what it is by its own bytes, once they are here
            kind TEXT,
            -- the names of the file and of a small picture of it in the folder of files
            local TEXT,
            local_size INTEGER NOT NULL DEFAULT 0,
            thumbnail TEXT,
            thumbnail_size INTEGER NOT NULL DEFAULT 0,
            -- when it was looked at last
            used INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX file_message ON file (message);
        CREATE INDEX file_conversation ON file (conversation);
        CREATE INDEX file_work ON file (account, state) WHERE state IN (0, 1, 11);
        CREATE INDEX file_used ON file (used) WHERE local IS NOT NULL;

        -- Names in the folder of files that nothing leads to any more.
        CREATE TABLE file_rubbish (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TRIGGER file_removed AFTER DELETE ON file BEGIN
            INSERT OR IGNORE INTO file_rubbish SELECT old.local WHERE old.local IS NOT NULL;
            INSERT OR IGNORE INTO file_rubbish SELECT old.thumbnail WHERE old.thumbnail IS NOT NULL;
        END;
        CREATE TRIGGER file_changed AFTER UPDATE OF local, thumbnail ON file BEGIN
            INSERT OR IGNORE INTO file_rubbish SELECT old.local WHERE old.local IS NOT NULL AND old.local IS NOT new.local;
            INSERT OR IGNORE INTO file_rubbish SELECT old.thumbnail
                WHERE old.thumbnail IS NOT NULL AND old.thumbnail IS NOT new.thumbnail;
        END;
        """
}
