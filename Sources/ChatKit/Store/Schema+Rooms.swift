// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension Schema {
    static let fifth = Migration(5, "rooms, and where gaps lie in conversations", script: rooms + gaps)

    static let seventh = Migration(
        7, "up to when a gap reaches", script: "ALTER TABLE gap ADD COLUMN before_time INTEGER;")

    private static let rooms = """
        -- For rooms: the wish to be in it, and what is known of it.
        ALTER TABLE conversation ADD COLUMN is_joined INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE conversation ADD COLUMN nick TEXT;
        ALTER TABLE conversation ADD COLUMN room_password TEXT;
        -- what is talked about
        ALTER TABLE conversation ADD COLUMN topic TEXT;
        -- the room announces names of accounts (XEP-0421), and ours there
        ALTER TABLE conversation ADD COLUMN names_occupants INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE conversation ADD COLUMN occupant TEXT;
        -- NULL: the room was not asked yet
        ALTER TABLE conversation ADD COLUMN has_archive INTEGER;
        ALTER TABLE conversation ADD COLUMN is_members_only INTEGER;
        -- the server's list of rooms has it
        ALTER TABLE conversation ADD COLUMN is_bookmarked INTEGER NOT NULL DEFAULT 0;
        -- why we are out of it until the user goes in again: a code, and words
        ALTER TABLE conversation ADD COLUMN room_exit TEXT;
        ALTER TABLE conversation ADD COLUMN room_exit_text TEXT;

        -- Rooms into which somebody asked the user to come.
        CREATE TABLE room_invitation (
            account INTEGER NOT NULL REFERENCES account(id) ON DELETE CASCADE,
            room TEXT NOT NULL,
            inviter TEXT,
            reason TEXT,
            password TEXT,
            is_mediated INTEGER NOT NULL,
            received INTEGER NOT NULL,
            PRIMARY KEY (account, room)
        ) STRICT, WITHOUT ROWID;
        """

    private static let gaps = """
        -- Where a gap lies in a conversation; without a row, before all of its messages.
        CREATE TABLE gap_place (
            gap INTEGER NOT NULL REFERENCES gap(id) ON DELETE CASCADE,
            conversation INTEGER NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
            -- the last message before it
            after_message INTEGER REFERENCES message(id) ON DELETE SET NULL,
            -- the first message behind what is missing, once a part was fetched, and its id in the archive
            before_message INTEGER REFERENCES message(id) ON DELETE SET NULL,
            before_id TEXT,
            is_closed INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (gap, conversation)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX gap_archive ON gap (account, archive_jid);
        CREATE INDEX gap_after ON gap_place (after_message) WHERE after_message IS NOT NULL;
        CREATE INDEX gap_before ON gap_place (before_message) WHERE before_message IS NOT NULL;
        """
}
