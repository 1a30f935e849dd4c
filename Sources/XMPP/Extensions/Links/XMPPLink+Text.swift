// SPDX-License-Identifier: Apache-2.0

extension XMPPLink: LosslessStringConvertible {
    /// Reads a link (RFC 5122 §2.2); nil when it is none, is too long, or holds an invalid address or control characters.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes, text.utf8.count > 5, text.prefix(5).lowercased() == "xmpp:" else {
            return nil
        }
        // A fragment says nothing here.
        var rest = text.dropFirst(5).prefix { $0 != "#" }
        var account: JID?
        if rest.hasPrefix("//") {
            let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
            guard let found = Self.address(authority), found.isBare else { return nil }
            account = found
            rest = rest.dropFirst(2 + authority.count)
            if rest.hasPrefix("/") { rest = rest.dropFirst() }
        }
        let path = rest.prefix { $0 != "?" }
        var jid: JID?
        if !path.isEmpty {
            guard let found = Self.address(path) else { return nil }
            jid = found
        }
        guard jid != nil || account != nil else { return nil }
        var action: Action?
        let query = rest.dropFirst(path.count + 1)
        if !query.isEmpty {
            guard let found = Action(query: query) else { return nil }
            action = found
        }
        self.init(jid, action, account: account)
    }

    /// The parts are told apart before anything in them is decoded.
    private static func address(_ text: Substring) -> JID? {
        let bare = text.prefix { $0 != "/" }
        var resource: String?
        if bare.count < text.count {
            guard let decoded = PercentCoding.decode(text.dropFirst(bare.count + 1)) else { return nil }
            resource = decoded
        }
        var local: String?
        var host = bare
        if let sign = bare.firstIndex(of: "@") {
            guard let decoded = PercentCoding.decode(bare[..<sign]) else { return nil }
            local = decoded
            host = bare[bare.index(after: sign)...]
        }
        guard let domain = PercentCoding.decode(host) else { return nil }
        return try? JID(local: local, domain: domain, resource: resource)
    }

    /// The link as text: pure ASCII, with every character escaped that may have to be (RFC 5122 §2.7).
    public var description: String {
        var text = "xmpp:"
        if let account {
            text += "//" + Self.text(account)
            if jid != nil { text += "/" }
        }
        if let jid { text += Self.text(jid) }
        if let action { text += "?" + action.query }
        return text
    }

    private static func text(_ jid: JID) -> String {
        var text = ""
        if let local = jid.local { text += PercentCoding.encode(local, keeping: "!$()*+,;=") + "@" }
        text += PercentCoding.encode(jid.domain, keeping: "[]:")
        if let resource = jid.resource { text += "/" + PercentCoding.encode(resource, keeping: "!$&'()*+,:;=") }
        return text
    }
}

extension XMPPLink.Action {
    /// Reads `name;key=value;key=value` (XEP-0147 §2).
    init?(query: Substring) {
        let parts = query.split(separator: ";", omittingEmptySubsequences: false)
        guard let first = parts.first, let name = PercentCoding.decode(first), !name.isEmpty, parts.count <= 64 else {
            return nil
        }
        var parameters: [XMPPLink.Parameter] = []
        for part in parts.dropFirst() where !part.isEmpty {
            let start = part.prefix { $0 != "=" }
            var text = String(part.dropFirst(start.count + 1))
            // XEP-0379's own example writes the space of a name as a plus sign, as forms do.
            if name == "roster", start == "name" { text = text.replacing("+", with: " ") }
            guard let key = PercentCoding.decode(start), let value = PercentCoding.decode(text) else { return nil }
            parameters.append(.init(key, value))
        }
        self.init(name: name, parameters: parameters)
    }

    private init(name: String, parameters: [XMPPLink.Parameter]) {
        func value(_ key: String) -> String? {
            parameters.first { $0.name == key }.flatMap { $0.value.isEmpty ? nil : $0.value }
        }
        switch name {
        case "message":
            let known: Set<String> = ["subject", "body", "thread"]
            self = .message(
                .init(
                    subject: value("subject"), body: value("body"), thread: value("thread"),
                    parameters: parameters.filter { !known.contains($0.name) }))
        case "roster":
            self = .addContact(
                .init(
                    name: value("name"),
                    groups: parameters.filter { $0.name == "group" && !$0.value.isEmpty }.map(\.value),
                    token: value("preauth"), permitsRegistration: value("ibr") == "y"))
        case "remove": self = .removeContact
        case "subscribe": self = .subscribe
        case "unsubscribe": self = .unsubscribe
        case "register": self = .register(token: value("preauth"))
        case "unregister": self = .unregister
        case "join": self = .join(password: value("password"))
        case "disco": self = .discover(node: value("node"))
        case "command": self = .command(node: value("node"), action: value("action"))
        case "vcard": self = .card
        default: self = .other(name: name, parameters: parameters)
        }
    }

    /// The name and the parameters, escaped.
    var query: String {
        let (name, parameters) = parts
        return
            ([PercentCoding.encode(name)]
            + parameters.map { PercentCoding.encode($0.name) + "=" + PercentCoding.encode($0.value) })
            .joined(separator: ";")
    }

    private var parts: (String, [XMPPLink.Parameter]) {
        func list(_ values: (String, String?)...) -> [XMPPLink.Parameter] {
            values.compactMap { name, value in value.map { XMPPLink.Parameter(name, $0) } }
        }
        switch self {
        case .message(let draft):
            return (
                "message",
                list(("subject", draft.subject), ("body", draft.body), ("thread", draft.thread)) + draft.parameters
            )
        case .addContact(let contact):
            return (
                "roster",
                list(
                    ("preauth", contact.token), ("ibr", contact.permitsRegistration ? "y" : nil), ("name", contact.name)
                )
                    + contact.groups.map { XMPPLink.Parameter("group", $0) }
            )
        case .removeContact: return ("remove", [])
        case .subscribe: return ("subscribe", [])
        case .unsubscribe: return ("unsubscribe", [])
        case .register(let token): return ("register", list(("preauth", token)))
        case .unregister: return ("unregister", [])
        case .join(let password): return ("join", list(("password", password)))
        case .discover(let node): return ("disco", list(("node", node)))
        case .command(let node, let action): return ("command", list(("node", node), ("action", action)))
        case .card: return ("vcard", [])
        case .other(let name, let parameters): return (name, parameters)
        }
    }
}
