// SPDX-License-Identifier: Apache-2.0

/// The names of XEP-0227, and how its parts are read.
enum Portable {
    static let namespace = "urn:xmpp:pie:0"
    static let archiveNamespace = namespace + "#mam"
    static let root = XMLName("server-data", namespace)
    private static let host = XMLName("host", namespace)
    private static let user = XMLName("user", namespace)
    private static let archive = XMLName("archive", archiveNamespace)

    /// The accounts of one server.
    static func accounts(_ element: Element) -> [PortableAccount] {
        guard element.matches(host), let domain = element["jid"] else { return [] }
        return element.children(user).compactMap { account($0, domain: domain) }
    }

    private static func account(_ element: Element, domain: String) -> PortableAccount? {
        guard let name = element["name"], let jid = try? JID(local: name, domain: domain, resource: nil) else {
            return nil
        }
        var account = PortableAccount(jid: jid)
        if let roster = element.child(Roster.query) {
            account.contacts = roster.children(RosterItem.name).compactMap { RosterItem($0) }
        }
        account.requests = element.children(.presence)
            .filter { $0.attributeEquals("type", "subscribe") }.compactMap { $0.address("from")?.bare }
        account.card = element.child(VCard.name).flatMap { VCard($0) }
        if let list = element.child(Blocking.list) { account.blocked = Blocking.addresses(list) }
        var decoder = StanzaDecoder()
        for result in element.child(archive)?.children(Archive.result) ?? [] {
            guard let id = result.filled("id"), let child = result.onlyChild(Forwarded.name),
                let forwarded = Forwarded(child, &decoder, repairing: true)
            else { continue }
            account.archive.append(
                ArchivedMessage(id: id, stamp: forwarded.delay?.stamp, message: forwarded.message))
        }
        return account
    }

    /// An entry of the list as a server has it: with what the two see of each other.
    static func item(_ item: RosterItem) -> Element {
        Element(RosterItem.name) { builder in
            builder.attribute("jid", item.jid.description)
            if let name = item.name, !name.isEmpty { builder.attribute("name", name) }
            builder.attribute("subscription", item.subscription.rawValue)
            if item.isRequested { builder.attribute("ask", "subscribe") }
            if item.isApproved { builder.attribute("approved", "true") }
            for group in item.groups { builder.child(Roster.group, text: group) }
        }
    }
}
