// SPDX-License-Identifier: Apache-2.0

/// The start tag of a stream as we send it (RFC 6120 §4.7).
package struct StreamHeader: Sendable, Hashable {
    package var to: String
    /// Own bare JID; only inside TLS, since the header before TLS is readable by everybody (RFC 6120 §4.7.1).
    package var from: String?
    package var language: String?
    /// The namespace of the stanzas; one for others than clients has no version (RFC 6120 §4.7.5).
    package var namespace: String

    package init(
        to: String, from: String? = nil, language: String? = nil, namespace: String = Namespace.client
    ) {
        self.to = to
        self.from = from
        self.language = language
        self.namespace = namespace
    }

    /// Writes the XML declaration and the start tag, with the prefix that some servers match literally.
    package func write(to writer: inout XMLWriter) throws(XMLError) {
        writer.raw("<?xml version='1.0'?><stream:stream to=\"")
        try writer.value(to)
        if let from {
            writer.raw("\" from=\"")
            try writer.value(from)
        }
        if let language {
            writer.raw("\" xml:lang=\"")
            try writer.value(language)
        }
        guard namespace != Namespace.client else {
            return writer.raw(
                "\" version=\"1.0\" xmlns=\"jabber:client\" xmlns:stream=\"http://etherx.jabber.org/streams\">")
        }
        writer.raw("\" xmlns=\"")
        try writer.value(namespace)
        writer.raw("\" xmlns:stream=\"http://etherx.jabber.org/streams\">")
    }
}

/// The start tag that the server answered with, checked by RFC 6120 §4.7 to §4.9.
package struct ReceivedStreamHeader: Sendable, Hashable {
    package var id: String
    package var from: String?

    /// Reads a start tag; throws the stream error to answer with.
    ///
    /// A header without `version` comes from a server older than RFC 3920: there is neither TLS nor SASL to have.
    package init(_ element: Element, domain: String, carriesStanzas: Bool) throws(StreamError) {
        guard element.localName == "stream" else { throw StreamError(.badFormat) }
        guard element.namespace == Namespace.streams else { throw StreamError(.invalidNamespace) }
        guard carriesStanzas else { throw StreamError(.invalidNamespace) }
        guard let version = element["version"], Self.isSupported(version) else {
            throw StreamError(.unsupportedVersion)
        }
        guard let id = element["id"], !id.isEmpty else {
            throw StreamError(.undefinedCondition, text: "the stream has no id")
        }
        if let from = element["from"] {
            guard let their = try? JID(from), let our = try? JID(domain), their == our else {
                throw StreamError(.invalidFrom)
            }
        }
        self.id = id
        from = element["from"]
    }

    /// Version 1 with any minor number; a missing or other major version is not spoken here (RFC 6120 §4.7.5).
    private static func isSupported(_ version: String) -> Bool {
        let parts = version.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let major = UInt16(parts[0]), UInt16(parts[1]) != nil else { return false }
        return major == 1
    }
}
