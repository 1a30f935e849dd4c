// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
package import XMPP

extension JID {
    /// Reads an address that was stored in its canonical form.
    ///
    /// - Throws: ``ChatError/Code/profileDamaged`` when the text is no address.
    package init(stored text: String) throws {
        var text = text
        guard let jid = text.withUTF8({ JID(wire: $0) }) else {
            throw SQLiteError(kind: .corrupt, message: "a stored address is none")
        }
        self = jid
    }
}

/// Reads stored addresses, each text once: the rows of one list repeat them.
struct JIDReader {
    private var known: [String: JID] = [:]

    mutating func callAsFunction(_ text: String) throws -> JID {
        if let jid = known[text] { return jid }
        let jid = try JID(stored: text)
        known[text] = jid
        return jid
    }
}
