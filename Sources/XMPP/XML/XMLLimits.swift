// SPDX-License-Identifier: Apache-2.0

/// What a peer may make the parser hold; a cap that is passed ends the stream.
package struct XMLLimits: Sendable, Hashable {
    /// Bytes of one stanza, or of the stream header, from its `<` on; bytes of unfinished tokens count.
    package var stanzaBytes: Int
    /// Elements nested in each other, the stanza itself being the first.
    package var depth = 128
    /// Attributes of one element, namespace declarations among them.
    package var attributes = 256
    /// Bytes of one name with its prefix, of one namespace name, and of one character reference.
    package var nameBytes = 1024
    /// Prefixes that are declared at the same time, those of the stream header among them.
    package var namespaces = 64

    /// Limits with a cap on the stanza's bytes and the usual ones for the rest.
    package init(stanzaBytes: Int) {
        self.stanzaBytes = stanzaBytes
    }

    /// 64 KiB: before login nothing large has a reason to come.
    package static let beforeLogin = XMLLimits(stanzaBytes: 64 * 1024)
    /// 10 MiB.
    package static let afterLogin = XMLLimits(stanzaBytes: 10 * 1024 * 1024)
}

/// The cap that was passed.
package enum XMLLimit: Sendable, Hashable {
    case stanzaBytes, depth, attributes, nameBytes, namespaces
}
