// SPDX-License-Identifier: Apache-2.0

/// What belongs to an account, to be taken to another server (XEP-0227), without anything that logs in.
public struct PortableAccount: Sendable {
    /// The bare address.
    public var jid: JID
    /// The contacts.
    public var contacts: [RosterItem]
    /// Who asks to see the account's presence and has no answer yet.
    public var requests: [JID]
    /// What the account tells about itself.
    public var card: VCard?
    /// Who is kept away; no part of the specification, which lets such parts stand beside its own (§4).
    public var blocked: [JID]
    /// Messages, the oldest first.
    public var archive: [ArchivedMessage]

    /// Makes an account of its parts.
    public init(
        jid: JID, contacts: [RosterItem] = [], requests: [JID] = [], card: VCard? = nil, blocked: [JID] = [],
        archive: [ArchivedMessage] = []
    ) {
        self.jid = jid.bare
        self.contacts = contacts
        self.requests = requests
        self.card = card
        self.blocked = blocked
        self.archive = archive
    }

    /// Reads the accounts of a document, those with a name that is none left out (§4.1, §4.2).
    ///
    /// Parts that are not known, or cannot be read, are left out, too.
    /// - Throws: ``XMPPError/Code/invalidReply`` for what is no such document, or holds more than 256 MiB of one server.
    public static func read(_ document: [UInt8]) throws(XMPPError) -> [PortableAccount] {
        var parser = XMLStreamParser(limits: XMLLimits(stanzaBytes: maximumBytes))
        var accounts: [PortableAccount] = []
        // White space before the document is none of its own.
        let start = document.firstIndex { $0 == UInt8(ascii: "<") } ?? document.endIndex
        do {
            document[start...].withUnsafeBytes { parser.append($0) }
            guard case .open(let root) = try parser.next(), root.matches(Portable.root) else { throw Self.invalid() }
            reading: while true {
                switch try parser.next() {
                case .stanza(let host): accounts += Portable.accounts(host)
                case .close: break reading
                default: throw Self.invalid()
                }
            }
        } catch let error as XMPPError {
            throw error
        } catch {
            throw Self.invalid(error)
        }
        return accounts
    }

    private static let maximumBytes = 256 << 20

    private static func invalid(_ cause: (any Error)? = nil) -> XMPPError {
        XMPPError(.invalidReply, "this is no exported account", underlying: cause)
    }

    /// The beginning of a document with this account, up to its messages; ``tail`` ends it.
    ///
    /// Between the two stand messages as ``entry(_:)`` writes them.
    package var head: String {
        // Neither part of an address holds a character that XML reserves (RFC 7622 §3.3.1).
        let parts = ([rosterElement] + requestElements + [card?.element, blocklist].compactMap(\.self))
            .map { $0.xml }.joined(separator: "\n")
        return """
            <?xml version='1.0' encoding='UTF-8'?>
            <server-data xmlns='\(Portable.namespace)'><host jid='\(jid.domain)'><user name='\(jid.local ?? "")'>
            \(parts)
            <archive xmlns='\(Portable.archiveNamespace)'>

            """
    }

    /// The end of a document.
    package static let tail = "</archive>\n</user></host></server-data>\n"

    /// One message of a document as an archive gives it (XEP-0313 §4.1), with a line end.
    ///
    /// Nothing for one that XML cannot carry.
    package static func entry(_ message: ArchivedMessage) -> String {
        var writer = XMLWriter()
        guard (try? message.message.write(to: &writer)) != nil else { return "" }
        let text = String(decoding: writer.bytes, as: UTF8.self)
        let wrap = Element(Archive.result, attributes: ["id": message.id]).xml.dropLast("/>".utf8.count)
        let delay = message.stamp.map { Delay(stamp: $0).element.xml } ?? ""
        return """
            \(wrap)><forwarded xmlns='\(Forwarded.namespace)'>\(delay)\
            <message xmlns='\(Namespace.client)'\(text.dropFirst("<message".utf8.count))\
            </forwarded></result>

            """
    }

    private var rosterElement: Element {
        Element(Roster.query, children: contacts.map(Portable.item))
    }

    private var requestElements: [Element] {
        requests.map { Element(.presence, attributes: ["type": "subscribe", "from": $0.description]) }
    }

    private var blocklist: Element? { blocked.isEmpty ? nil : Blocking.element(Blocking.list, blocked) }
}
