// SPDX-License-Identifier: Apache-2.0

/// The names that elements store as numbers; a name that is missing here works as well, only slower.
enum KnownNames {
    /// The names of RFC 6120 and RFC 6121 that are not an extension's.
    static let core: [XMLNameTable.Group] = [
        ("http://etherx.jabber.org/streams", ["stream", "features", "error"]),
        (
            "jabber:client",
            [
                "message", "presence", "iq", "body", "subject", "thread", "show", "status", "priority", "error",
            ]
        ),
        ("urn:ietf:params:xml:ns:xmpp-tls", ["starttls", "required", "proceed", "failure"]),
        (
            "urn:ietf:params:xml:ns:xmpp-sasl",
            [
                "mechanisms", "mechanism", "auth", "challenge", "response", "abort", "success", "failure", "text",
                "aborted", "account-disabled", "credentials-expired", "encryption-required",
                "incorrect-encoding", "invalid-authzid", "invalid-mechanism", "malformed-request",
                "mechanism-too-weak", "not-authorized", "temporary-auth-failure",
            ]
        ),
        ("urn:ietf:params:xml:ns:xmpp-bind", ["bind", "jid", "resource"]),
        ("urn:ietf:params:xml:ns:xmpp-session", ["session", "optional"]),
        (
            "urn:ietf:params:xml:ns:xmpp-stanzas",
            [
                "text", "bad-request", "conflict", "feature-not-implemented", "forbidden", "gone",
                "internal-server-error", "item-not-found", "jid-malformed", "not-acceptable", "not-allowed",
                "not-authorized", "policy-violation", "recipient-unavailable", "redirect",
                "registration-required", "remote-server-not-found", "remote-server-timeout",
                "resource-constraint", "service-unavailable", "subscription-required", "undefined-condition",
                "unexpected-request",
            ]
        ),
        (
            "urn:ietf:params:xml:ns:xmpp-streams",
            [
                "text", "bad-format", "bad-namespace-prefix", "conflict", "connection-timeout", "host-gone",
                "host-unknown", "improper-addressing", "internal-server-error", "invalid-from",
                "invalid-namespace", "invalid-xml", "not-authorized", "not-well-formed", "policy-violation",
                "remote-connection-failed", "reset", "resource-constraint", "restricted-xml", "see-other-host",
                "system-shutdown", "undefined-condition", "unsupported-encoding", "unsupported-feature",
                "unsupported-stanza-type", "unsupported-version",
            ]
        ),
    ]
}

extension XMLNameTable {
    /// The one table of this library, made at its first use.
    package static let known = XMLNameTable(KnownNames.core + KnownNames.extensions)
}
