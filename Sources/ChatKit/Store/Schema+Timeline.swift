// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension Schema {
    static let third = Migration(
        3, "what changes messages, what was read, how conversations are listed", script: timeline)

    private static let timeline = """
        -- Who wrote it in a room: the room's id of the occupant, else the occupant's address. NULL: the peer, or the account
        ALTER TABLE message ADD COLUMN author TEXT;
        -- the nickname in a room
        ALTER TABLE message ADD COLUMN author_name TEXT;
        -- the id of the stanza, where the sender gave the message another one
        ALTER TABLE message ADD COLUMN alias TEXT;
        -- who wrote the message that this one answers, as it says itself
        ALTER TABLE message ADD COLUMN reply_author TEXT;
        -- it stands in the place of a message of that id, which is not here
        ALTER TABLE message ADD COLUMN corrects TEXT;
        ALTER TABLE message ADD COLUMN edited INTEGER;
        ALTER TABLE message ADD COLUMN retracted INTEGER;
        ALTER TABLE message ADD COLUMN moderator TEXT;
        ALTER TABLE message ADD COLUMN moderation_reason TEXT;
        ALTER TABLE message ADD COLUMN is_markable INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE message ADD COLUMN is_mention INTEGER NOT NULL DEFAULT 0;

        CREATE INDEX message_alias ON message (conversation, alias) WHERE alias IS NOT NULL;
        CREATE INDEX message_corrects ON message (conversation, corrects) WHERE corrects IS NOT NULL;

        -- the name that a room has for itself
        ALTER TABLE conversation ADD COLUMN name TEXT;
        ALTER TABLE conversation ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0;
        -- all, mentions, none
        ALTER TABLE conversation ADD COLUMN level TEXT NOT NULL DEFAULT 'all';
        ALTER TABLE conversation ADD COLUMN muted_until INTEGER;
        ALTER TABLE conversation ADD COLUMN mentions INTEGER NOT NULL DEFAULT 0;
        -- nothing but changes of messages that are not here has come
        ALTER TABLE conversation ADD COLUMN is_hidden INTEGER NOT NULL DEFAULT 0;
        -- something waits for a message that is not here
        ALTER TABLE conversation ADD COLUMN is_waiting INTEGER NOT NULL DEFAULT 0;
        -- up to here the account's other devices know what was read, and the other side was told
        ALTER TABLE conversation ADD COLUMN synced_sort INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE conversation ADD COLUMN marked_sort INTEGER NOT NULL DEFAULT 0;
        -- what another device has read and is not here yet, by its id in the archive
        ALTER TABLE conversation ADD COLUMN displayed_id TEXT;
        UPDATE conversation SET synced_sort = read_sort, marked_sort = read_sort,
            level = CASE WHEN is_muted THEN 'none' ELSE 'all' END;
        CREATE INDEX conversation_unsynced ON conversation (account) WHERE read_sort > synced_sort;
        CREATE INDEX conversation_displayed ON conversation (account) WHERE displayed_id IS NOT NULL;

        -- The texts that a message had and has; '' names the first one.
        CREATE TABLE revision (
            id INTEGER PRIMARY KEY,
            message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            body TEXT NOT NULL,
            sent INTEGER NOT NULL,
            UNIQUE (message, name)
        ) STRICT;
        CREATE INDEX revision_name ON revision (name);

        -- What each has to say to a message in pictures, one a line; the message need not be here.
        CREATE TABLE reaction (
            conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
            target TEXT NOT NULL,
            -- '=' is the user, '' the other side of a conversation of two
            author TEXT NOT NULL,
            name TEXT,
            emojis TEXT NOT NULL,
            sent INTEGER NOT NULL,
            message INTEGER REFERENCES message(id) ON DELETE CASCADE,
            PRIMARY KEY (conversation, target, author)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX reaction_message ON reaction (message) WHERE message IS NOT NULL;

        -- What was taken back before it came.
        CREATE TABLE retraction (
            conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
            target TEXT NOT NULL,
            author TEXT NOT NULL,
            sent INTEGER NOT NULL,
            moderator TEXT,
            reason TEXT,
            PRIMARY KEY (conversation, target, author)
        ) STRICT, WITHOUT ROWID;

        -- Up to where each of the others has read.
        CREATE TABLE reader (
            conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
            author TEXT NOT NULL,
            name TEXT,
            message INTEGER NOT NULL REFERENCES message(id) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            PRIMARY KEY (conversation, author)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX reader_message ON reader (message);

        -- the message that a stanza of the outbox changes
        ALTER TABLE outbox ADD COLUMN changes INTEGER REFERENCES message(id) ON DELETE CASCADE;
        CREATE INDEX outbox_changes ON outbox (changes) WHERE changes IS NOT NULL;
        """
}
