// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

/// The steps of the database's schema.
///
/// A released step is never edited: a change is a new step.
///
/// Times are milliseconds since 1970 in UTC. Addresses are canonical (`JID.description`) and compared as bytes.
enum Schema {
    static let steps = [first, second, third, fourth, fifth, sixth, seventh, eighth, ninth]
    static let migrator = Migrator(steps)

    private static let second = Migration(2, "what is missing and what was handled", script: catchUp)

    private static let first = Migration(
        1, "accounts, contacts, conversations, messages, outbox, stream state", script: accounts + messages + stream)

    private static let catchUp = """
        -- The archive has been gone through up to this message and beyond.
        ALTER TABLE message ADD COLUMN is_archived INTEGER NOT NULL DEFAULT 0;

        -- Up to where an archive is here without a gap.
        CREATE TABLE anchor (
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            archive_jid TEXT NOT NULL,
            -- NULL: the archive was empty, so its first message is the next
            last_id TEXT,
            last_time INTEGER NOT NULL,
            PRIMARY KEY (account, archive_jid)
        ) STRICT, WITHOUT ROWID;

        -- Parts of an archive that are not here; NULL is its end.
        CREATE TABLE gap (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            archive_jid TEXT NOT NULL,
            after_id TEXT,
            before_id TEXT,
            reason TEXT NOT NULL,
            created INTEGER NOT NULL
        ) STRICT;

        CREATE INDEX outbox_state ON outbox (account, state);
        """

    private static let accounts = """
        CREATE TABLE account (
            id INTEGER PRIMARY KEY,
            jid TEXT NOT NULL UNIQUE,
            is_enabled INTEGER NOT NULL DEFAULT 1,
            settings TEXT NOT NULL DEFAULT '{}',
            subscription_policy TEXT NOT NULL DEFAULT 'ask',
            roster_version TEXT,
            trusts_stanza_ids INTEGER NOT NULL DEFAULT 0,
            security TEXT NOT NULL DEFAULT '{}',
            created INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE contact (
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            jid TEXT NOT NULL,
            name TEXT,
            subscription TEXT NOT NULL DEFAULT 'none',
            is_asked INTEGER NOT NULL DEFAULT 0,
            is_approved INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, jid)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE contact_group (
            account INTEGER NOT NULL,
            jid TEXT NOT NULL,
            name TEXT NOT NULL,
            PRIMARY KEY (account, jid, name),
            FOREIGN KEY (account, jid) REFERENCES contact(account, jid) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE subscription_request (
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            jid TEXT NOT NULL,
            nick TEXT,
            text TEXT,
            received INTEGER NOT NULL,
            PRIMARY KEY (account, jid)
        ) STRICT, WITHOUT ROWID;


        """

    private static let messages = """
        CREATE TABLE conversation (
            id INTEGER PRIMARY KEY,
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            peer TEXT NOT NULL,
            kind TEXT NOT NULL DEFAULT 'chat',
            last_message INTEGER,
            last_sort INTEGER NOT NULL DEFAULT 0,
            unread INTEGER NOT NULL DEFAULT 0,
            read_sort INTEGER NOT NULL DEFAULT 0,
            draft TEXT,
            is_pinned INTEGER NOT NULL DEFAULT 0,
            is_muted INTEGER NOT NULL DEFAULT 0,
            protection TEXT NOT NULL DEFAULT 'none',
            UNIQUE (account, peer)
        ) STRICT;

        CREATE TABLE message (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
            -- 0 incoming, 1 outgoing
            direction INTEGER NOT NULL,
            -- 0 queued, 1 written, 2 acknowledged, 3 delivered, 4 displayed, 5 failed, 10 received
            state INTEGER NOT NULL,
            failure TEXT,
            failure_text TEXT,
            -- our message id and origin-id (outgoing), unique in the conversation
            own_id TEXT,
            -- message id of the sender (incoming), unique nowhere
            remote_id TEXT,
            archive_jid TEXT,
            archive_id TEXT,
            sender TEXT NOT NULL,
            kind TEXT NOT NULL DEFAULT 'chat',
            body TEXT NOT NULL,
            subject TEXT,
            language TEXT,
            thread TEXT,
            -- when it was written, as the sender or a delay stamp says
            sent INTEGER NOT NULL,
            received INTEGER NOT NULL,
            is_delayed INTEGER NOT NULL DEFAULT 0,
            -- place in the conversation: never goes back, whatever the clocks do
            sort INTEGER NOT NULL,
            content_hash INTEGER,
            -- what the message says, as XML; NULL: body, subject and thread are all of it
            payload TEXT,
            -- what went over the wire, frozen at first write; NULL: the payload itself
            wire BLOB,
            protection TEXT NOT NULL DEFAULT 'none',
            may_be_duplicated INTEGER NOT NULL DEFAULT 0,
            reply_to TEXT,
            replaces INTEGER,
            idempotency_key TEXT
        ) STRICT;

        CREATE UNIQUE INDEX message_archive ON message (archive_jid, archive_id) WHERE archive_id IS NOT NULL;
        CREATE UNIQUE INDEX message_own ON message (account, conversation, own_id) WHERE own_id IS NOT NULL;
        CREATE UNIQUE INDEX message_key ON message (account, conversation, idempotency_key)
            WHERE idempotency_key IS NOT NULL;
        CREATE INDEX message_order ON message (conversation, sort);
        CREATE INDEX message_remote ON message (conversation, remote_id) WHERE remote_id IS NOT NULL;

        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            -- the stanza's id; for messages of people also their origin-id
            stanza_id TEXT NOT NULL,
            -- NULL for what is no message of a person, such as a receipt
            message INTEGER REFERENCES message(id) ON DELETE CASCADE,
            chat TEXT NOT NULL,
            payload TEXT NOT NULL,
            created INTEGER NOT NULL,
            -- queued, written
            state TEXT NOT NULL DEFAULT 'queued',
            session TEXT,
            seq INTEGER,
            attempts INTEGER NOT NULL DEFAULT 0,
            UNIQUE (account, stanza_id)
        ) STRICT;

        CREATE INDEX outbox_seq ON outbox (account, seq) WHERE seq IS NOT NULL;
        CREATE INDEX outbox_message ON outbox (message) WHERE message IS NOT NULL;

        -- What happened, in order; readers keep the last cursor that they have seen.
        CREATE TABLE event (
            cursor INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            kind TEXT NOT NULL,
            jid TEXT,
            message INTEGER REFERENCES message(id) ON DELETE CASCADE,
            detail TEXT
        ) STRICT;

        CREATE INDEX event_message ON event (message) WHERE message IS NOT NULL;


        """

    private static let stream = """
        CREATE TABLE stream (
            account INTEGER PRIMARY KEY REFERENCES account(id) ON DELETE CASCADE,
            stream_id TEXT,
            bound_jid TEXT,
            location TEXT,
            received INTEGER NOT NULL,
            sent INTEGER NOT NULL,
            acknowledged INTEGER NOT NULL,
            next_seq INTEGER NOT NULL
        ) STRICT;

        -- Stanzas that the server has not acknowledged, in order.
        CREATE TABLE unacknowledged (
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            seq INTEGER NOT NULL,
            kind TEXT NOT NULL,
            stanza_id TEXT,
            bytes BLOB NOT NULL,
            PRIMARY KEY (account, seq)
        ) STRICT;

        -- Who is online, as long as the stream lives that told so; a resumed stream does not tell again.
        CREATE TABLE presence (
            account INTEGER NOT NULL,
            contact TEXT NOT NULL,
            resource TEXT NOT NULL,
            show TEXT,
            status TEXT,
            priority INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (account, contact, resource),
            FOREIGN KEY (account, contact) REFERENCES contact(account, jid) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;

        -- Stanzas that could not be applied: counted as handled, kept for diagnosis.
        CREATE TABLE quarantine (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            received INTEGER NOT NULL,
            reason TEXT NOT NULL,
            stanza TEXT
        ) STRICT;
        """
}
