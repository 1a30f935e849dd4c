// SPDX-License-Identifier: Apache-2.0

extension KnownNames {
    /// The names of the extensions; each stands with the number of its XEP.
    static let extensions: [XMLNameTable.Group] = [
        // Roster and its versions (RFC 6121 §2)
        ("jabber:iq:roster", ["query", "item", "group"]),
        ("urn:xmpp:features:rosterver", ["ver"]),
        // XEP-0004
        (
            "jabber:x:data",
            [
                "x", "title", "instructions", "field", "value", "option", "required", "desc", "item", "reported",
            ]
        ),
        // XEP-0030
        ("http://jabber.org/protocol/disco#info", ["query", "identity", "feature"]),
        ("http://jabber.org/protocol/disco#items", ["query", "item"]),
        // XEP-0059
        ("http://jabber.org/protocol/rsm", ["set", "max", "after", "before", "index", "first", "last", "count"]),
        // XEP-0060
        ("http://jabber.org/protocol/pubsub", ["pubsub", "items", "item", "publish", "retract", "subscription"]),
        ("http://jabber.org/protocol/pubsub#event", ["event", "items", "item", "retract", "purge", "delete"]),
        // XEP-0066
        ("jabber:x:oob", ["x", "url", "desc"]),
        // XEP-0071
        ("http://jabber.org/protocol/xhtml-im", ["html"]),
        // XEP-0077
        (
            "jabber:iq:register",
            ["query", "registered", "instructions", "username", "password", "email", "remove", "name", "key"]
        ),
        ("http://jabber.org/features/iq-register", ["register"]),
        // XEP-0085
        (
            "http://jabber.org/protocol/chatstates", ["active", "composing", "paused", "inactive", "gone"]
        ),
        // XEP-0091
        ("jabber:x:delay", ["x"]),
        // XEP-0092
        ("jabber:iq:version", ["query", "name", "version", "os"]),
        // XEP-0115
        ("http://jabber.org/protocol/caps", ["c"]),
        // XEP-0153
        ("vcard-temp:x:update", ["x", "photo"]),
        // XEP-0172
        ("http://jabber.org/protocol/nick", ["nick"]),
        // XEP-0184
        ("urn:xmpp:receipts", ["request", "received"]),
        // XEP-0198
        (
            "urn:xmpp:sm:3", ["sm", "enable", "enabled", "resume", "resumed", "failed", "r", "a", "optional"]
        ),
        // XEP-0199
        ("urn:xmpp:ping", ["ping"]),
        // XEP-0202
        ("urn:xmpp:time", ["time", "tzo", "utc"]),
        // XEP-0203
        ("urn:xmpp:delay", ["delay"]),
        // XEP-0221
        ("urn:xmpp:media-element", ["media", "uri"]),
        // XEP-0280
        ("urn:xmpp:carbons:2", ["enable", "disable", "received", "sent", "private"]),
        // XEP-0297
        ("urn:xmpp:forward:0", ["forwarded"]),
        // XEP-0308
        ("urn:xmpp:message-correct:0", ["replace"]),
        // XEP-0313
        ("urn:xmpp:mam:2", ["query", "result", "fin", "metadata", "start", "end", "prefs"]),
        // XEP-0319
        ("urn:xmpp:idle:1", ["idle"]),
        // XEP-0333
        ("urn:xmpp:chat-markers:0", ["markable", "received", "displayed", "acknowledged"]),
        // XEP-0334
        ("urn:xmpp:hints", ["no-permanent-store", "no-store", "no-copy", "store"]),
        // XEP-0359
        ("urn:xmpp:sid:0", ["stanza-id", "origin-id"]),
        // XEP-0386
        ("urn:xmpp:bind:0", ["bind", "bound", "inline", "feature", "tag"]),
        // XEP-0388
        (
            "urn:xmpp:sasl:2",
            [
                "authentication", "mechanism", "inline", "authenticate", "challenge", "response", "success", "failure",
                "continue", "tasks", "task", "task-data", "text", "additional-data", "authorization-identifier",
            ]
        ),
        // XEP-0372
        ("urn:xmpp:reference:0", ["reference"]),
        // XEP-0380
        ("urn:xmpp:eme:0", ["encryption"]),
        // XEP-0390, XEP-0300
        ("urn:xmpp:caps", ["c"]),
        ("urn:xmpp:hashes:2", ["hash"]),
        // XEP-0393
        ("urn:xmpp:styling:0", ["unstyled"]),
        // XEP-0421
        ("urn:xmpp:occupant-id:0", ["occupant-id"]),
        // XEP-0424
        ("urn:xmpp:message-retract:1", ["retract", "retracted"]),
        // XEP-0428
        ("urn:xmpp:fallback:0", ["fallback", "body", "subject"]),
        // XEP-0440
        ("urn:xmpp:sasl-cb:0", ["sasl-channel-binding", "channel-binding"]),
        // XEP-0444
        ("urn:xmpp:reactions:0", ["reactions", "reaction"]),
        // XEP-0447, XEP-0446
        ("urn:xmpp:sfs:0", ["file-sharing", "sources"]),
        ("urn:xmpp:file:metadata:0", ["file"]),
        // XEP-0461
        ("urn:xmpp:reply:0", ["reply"]),
        // XEP-0484
        ("urn:xmpp:fast:0", ["fast", "mechanism", "token"]),
    ]
}
