// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite

extension Schema {
    static let ninth = Migration(9, "what waits behind a message", script: waiting)

    private static let waiting = """
        -- the message of ours that this is about and that has to go before it
        ALTER TABLE outbox ADD COLUMN behind INTEGER REFERENCES message(id) ON DELETE SET NULL;
        CREATE INDEX outbox_behind ON outbox (behind) WHERE behind IS NOT NULL;
        """
}
