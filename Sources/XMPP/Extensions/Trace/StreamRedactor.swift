// SPDX-License-Identifier: Apache-2.0

/// Writes elements for a log: their structure, without what must not be in one.
///
/// Text is left out unless it is known to be harmless, so that what nobody thought of stays out, too. With
/// ``showsText`` the texts of people are written, but never what opens an account, a file or a message.
struct StreamRedactor: Sendable {
    var showsText = false

    func text(_ element: Element) -> String {
        var output = ""
        write(element, parent: "", depth: 0, isSecret: false, &output)
        return output
    }

    /// A stream header, which has no end.
    func openingTag(_ element: Element) -> String {
        var output = "<stream:\(element.localName)"
        for (name, value) in element.attributes { output += attribute(name, value, of: element, isSecret: false) }
        return output + ">"
    }

    private func write(
        _ element: Element, parent: String, depth: Int, isSecret: Bool, _ output: inout String
    ) {
        let namespace = element.namespace
        let isSecret = isSecret || Self.isSecret(element)
        output += "<\(element.localName)"
        if namespace != parent { output += " xmlns='\(Self.escaped(namespace))'" }
        for (name, value) in element.attributes { output += attribute(name, value, of: element, isSecret: isSecret) }
        let text = element.text
        let shown = text.isEmpty ? "" : self.text(text, of: element, isSecret: isSecret)
        if shown.isEmpty, element.children.isEmpty {
            output += "/>"
            return
        }
        output += ">" + shown
        for child in element.children {
            write(child, parent: namespace, depth: depth + 1, isSecret: isSecret, &output)
        }
        output += "</\(element.localName)>"
    }

    private func text(_ text: String, of element: Element, isSecret: Bool) -> String {
        if isSecret, !Self.harmless.contains(element.name) { return Self.mark(text) }
        if Self.harmless.contains(element.name) || Self.isDescribing(element.namespace) {
            return Self.escaped(String(text.prefix(512)))
        }
        guard text.contains(where: { !$0.isWhitespace }) else { return "" }
        guard showsText else { return Self.mark(text) }
        return Self.escaped(Self.withoutKeys(text))
    }

    private func attribute(_ name: XMLName, _ value: String, of element: Element, isSecret: Bool) -> String {
        let shown: String
        if Self.secretAttributes.contains(name.local) || (isSecret && !Self.plainAttributes.contains(name.local))
            || Self.isToken(name.local, of: element)
        {
            shown = Self.mark(value)
        } else if Self.addresses.contains(name.local), value.contains(":") {
            shown = showsText ? Self.escaped(Self.withoutKeys(value)) : Self.mark(value)
        } else {
            shown = Self.escaped(value)
        }
        let prefix = name.namespace.isEmpty ? "" : name.namespace.hasSuffix("/namespace") ? "xml:" : "x:"
        return " \(prefix)\(name.local)='\(shown)'"
    }

    /// What stands in the place of something.
    private static func mark(_ text: String) -> String { "[\(text.utf8.count) bytes]" }

    /// A link to an encrypted file has the key behind the number sign (XEP-0454 §3).
    private static func withoutKeys(_ text: String) -> String {
        guard text.contains("aesgcm://") else { return text }
        var parts: [Substring] = []
        for part in text.split(separator: " ", omittingEmptySubsequences: false) {
            guard let start = part.firstRange(of: "aesgcm://"), let mark = part[start.upperBound...].firstIndex(of: "#")
            else {
                parts.append(part)
                continue
            }
            parts.append(part[..<mark] + "#[key]")
        }
        return parts.joined(separator: " ")
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case "&": result += "&amp;"
            case "'": result += "&apos;"
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse:
                    result += "&#x\(String(scalar.value, radix: 16));"
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}

// What is what.
extension StreamRedactor {
    /// Everything in these is a proof, a key or a ticket.
    private static func isSecret(_ element: Element) -> Bool {
        let namespace = element.namespace
        switch namespace {
        case Namespace.sasl, "urn:xmpp:sasl:2", "urn:xmpp:fast:0", "urn:xmpp:sasl:upgrade:0",
            "urn:xmpp:scram-upgrade:0":
            return true
        case "jabber:iq:auth", "jabber:iq:register":
            return !["query", "username", "instructions", "registered", "remove"].contains(element.localName)
        case "urn:xmpp:http:upload:0":
            return element.localName == "header" || element.localName == "put"
        case "jabber:x:data":
            guard element.localName == "field" else { return false }
            let variable = (element["var"] ?? "").lowercased()
            return element["type"] == "text-private" || secretWords.contains { variable.contains($0) }
        case "eu.siacs.conversations.axolotl", "urn:xmpp:omemo:2", "urn:xmpp:openpgp:0", "urn:xmpp:esfs:0",
            "jabber:x:encrypted":
            return true
        default: return secretNames.contains(element.localName)
        }
    }

    private static let secretNames: Set<String> = ["password", "digest", "token", "secret", "credentials"]
    private static let secretWords = ["password", "secret", "token", "passwd"]
    private static let secretAttributes: Set<String> = [
        "password", "token", "secret", "key", "auth", "nonce", "previd",
    ]
    private static let plainAttributes: Set<String> = [
        "mechanism", "type", "var", "count", "h", "location", "max", "resume",
    ]
    /// Attributes that hold links, which often are all that one needs to get what they lead to.
    private static let addresses: Set<String> = ["url", "uri", "href", "target", "src", "get", "put"]

    /// The names of streams to resume (XEP-0198 §5): whoever has one and the password may take the stream over.
    private static func isToken(_ name: String, of element: Element) -> Bool {
        name == "id" && element.namespace == StreamManagement.namespace
    }

    /// Names of things and reasons of errors, never content.
    private static func isDescribing(_ namespace: String) -> Bool {
        namespace == Namespace.streamErrors || namespace == Namespace.stanzaErrors
            || namespace == "http://jabber.org/protocol/disco#info" || namespace == "http://jabber.org/protocol/rsm"
            || namespace == "jabber:iq:version" || namespace == "urn:xmpp:time" || namespace == Namespace.bind
    }

    private static let harmless: Set<XMLName> = [
        XMLName("mechanism", Namespace.sasl), XMLName("text", Namespace.sasl),
        XMLName("mechanism", "urn:xmpp:sasl:2"), XMLName("text", "urn:xmpp:sasl:2"),
        XMLName("authorization-identifier", "urn:xmpp:sasl:2"), XMLName("mechanism", "urn:xmpp:fast:0"),
        XMLName("show", Namespace.client), XMLName("priority", Namespace.client),
    ]
}
