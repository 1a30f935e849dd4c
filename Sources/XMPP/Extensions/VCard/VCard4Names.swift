// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Foundation

/// The names of vCard 4 in XML, and how its parts are written (XEP-0292 §3, RFC 6351).
enum VCard4Names {
    static let node = "urn:xmpp:vcard4"
    static let namespace = "urn:ietf:params:xml:ns:vcard-4.0"
    static let card = XMLName("vcard", namespace)
    private static let textName = XMLName("text", namespace)
    private static let uri = XMLName("uri", namespace)
    private static let parameters = XMLName("parameters", namespace)
    private static let type = XMLName("type", namespace)
    private static let preference = XMLName("pref", namespace)
    private static let integer = XMLName("integer", namespace)

    private static func name(_ local: String) -> XMLName { XMLName(local, namespace) }

    /// The only text inside; a part with several is more than one value, and stays as it is.
    private static func onlyText(_ element: Element) -> String? {
        guard let text = element.onlyChild(textName)?.text.trimmingXMLSpace, !text.isEmpty else { return nil }
        return text
    }

    private static func onlyURI(_ element: Element) -> String? {
        guard let uri = element.onlyChild(uri)?.text.trimmingXMLSpace, !uri.isEmpty else { return nil }
        return uri
    }

    private static func text(_ local: String, _ path: WritableKeyPath<VCard, String?>) -> VCardProperty {
        .single(name(local), path, onlyText) { Element(name(local), children: [Element(textName, text: $0)]) }
    }

    // MARK: Parameters (RFC 6351 §5)

    private static func types(_ element: Element) -> Set<String> {
        let types = element.child(parameters)?.children(type) ?? []
        return Set(types.flatMap { $0.children(textName) }.map { $0.text.trimmingXMLSpace.lowercased() })
    }

    private static func places(_ types: Set<String>) -> Set<VCard.Place> {
        Set(VCard.Place.allCases.filter { types.contains($0.rawValue) })
    }

    private static func isPreferred(_ element: Element) -> Bool {
        element.child(parameters)?.child(preference)?.childText(integer) == "1"
    }

    private static func addParameters(_ types: [String], _ isPreferred: Bool, _ builder: inout ElementBuilder) {
        guard !types.isEmpty || isPreferred else { return }
        builder.open(parameters)
        if !types.isEmpty { builder.child(Element(type, children: types.map { Element(textName, text: $0) })) }
        if isPreferred { builder.child(Element(preference, children: [Element(integer, text: "1")])) }
        builder.close()
    }

    // MARK: Parts

    static var properties: [VCardProperty] {
        [
            text("fn", \.fullName), personName,
            .list(name("nickname"), \.nicknames, onlyText) {
                Element(name("nickname"), children: [Element(textName, text: $0)])
            },
            photo, birthday, addresses, phones, emails, jids, text("title", \.title), text("role", \.role),
            organization,
            .list(name("url"), \.urls, onlyURI) { Element(name("url"), children: [Element(uri, text: $0)]) },
            text("note", \.note),
        ]
    }

    private static var personName: VCardProperty {
        .single(name("n"), \.name) { element in
            func part(_ local: String) -> String {
                let texts = element.children(name(local)).map(\.text.trimmingXMLSpace)
                return texts.filter { !$0.isEmpty }.joined(separator: " ")
            }
            let person = VCard.PersonName(
                family: part("surname"), given: part("given"), middle: part("additional"), prefix: part("prefix"),
                suffix: part("suffix"))
            return person == VCard.PersonName() ? nil : person
        } _: { value in
            Element(name("n")) { builder in
                for (local, text) in [
                    ("surname", value.family), ("given", value.given), ("additional", value.middle),
                    ("prefix", value.prefix), ("suffix", value.suffix),
                ] {
                    builder.child(name(local), text: text)
                }
            }
        }
    }

    /// A picture is a `data:` address here (XEP-0292 §11.4, RFC 2397).
    private static var photo: VCardProperty {
        .single(name("photo"), \.photo) { element in
            guard let child = element.child(uri) else { return nil }
            let limits = Picture.Limits()
            guard child.byteCount <= limits.bytes * 2 else { return nil }
            let text = child.text.trimmingXMLSpace
            guard text.lowercased().hasPrefix("data:") else { return text.isEmpty ? nil : .link(text) }
            guard let comma = text.firstIndex(of: ","), text[..<comma].lowercased().hasSuffix(";base64") else {
                return nil
            }
            let data = Element(uri, text: String(text[text.index(after: comma)...]))
            guard let bytes = try? data.pictureBytes(limits), let picture = try? Picture(bytes) else { return nil }
            return .picture(picture)
        } _: { photo in
            let address =
                switch photo {
                case .picture(let picture): "data:\(picture.format.mediaType);base64,\(base64(picture.bytes))"
                case .link(let url): url
                }
            return Element(name("photo"), children: [Element(uri, text: address)])
        }
    }

    private static var birthday: VCardProperty {
        let forms = ["date", "date-and-or-time", "date-time", "text"]
        return .single(name("bday"), \.birthday) { element in
            forms.lazy.compactMap { element.childText(name($0)) }.first
        } _: { date in
            let isDate = date.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
            return Element(name("bday"), children: [Element(name(isDate ? "date" : "text"), text: date)])
        }
    }

    private static var addressParts: [(String, WritableKeyPath<VCard.PostalAddress, String>)] {
        [
            ("pobox", \.box), ("ext", \.extra), ("street", \.street), ("locality", \.locality), ("region", \.region),
            ("code", \.postalCode), ("country", \.country),
        ]
    }

    private static var addresses: VCardProperty {
        .list(name("adr"), \.addresses) { element in
            var address = VCard.PostalAddress()
            for (local, path) in addressParts { address[keyPath: path] = element.childText(name(local)) ?? "" }
            guard address != VCard.PostalAddress() else { return nil }
            address.places = places(types(element))
            address.isPreferred = isPreferred(element)
            return address
        } _: { address in
            Element(name("adr")) { builder in
                addParameters(placeNames(address.places), address.isPreferred, &builder)
                // RFC 6351's schema wants all seven, in this order.
                for (local, path) in addressParts { builder.child(name(local), text: address[keyPath: path]) }
            }
        }
    }

    private static func placeNames(_ places: Set<VCard.Place>) -> [String] {
        VCard.Place.allCases.filter(places.contains).map(\.rawValue)
    }

    /// A number is a `tel:` address where it can be one (RFC 6350 §6.4.1), a text otherwise.
    private static var phones: VCardProperty {
        .list(name("tel"), \.phones) { element in
            let address = onlyURI(element)
            guard let number = address.map({ $0.hasPrefix("tel:") ? String($0.dropFirst(4)) : $0 }) ?? onlyText(element)
            else { return nil }
            let types = types(element)
            return VCard.Phone(
                number, places: places(types),
                kinds: Set(VCard.Phone.Kind.allCases.filter { types.contains($0.rawValue) }),
                isPreferred: isPreferred(element))
        } _: { phone in
            let kinds = VCard.Phone.Kind.allCases.filter(phone.kinds.contains).map(\.rawValue)
            let isAddress = phone.number.utf8.allSatisfy {
                (0x30...0x39).contains($0) || "+-.()".utf8.contains($0)
            }
            return Element(name("tel")) { builder in
                addParameters(placeNames(phone.places) + kinds, phone.isPreferred, &builder)
                builder.child(isAddress ? uri : textName, text: isAddress ? "tel:\(phone.number)" : phone.number)
            }
        }
    }

    private static var emails: VCardProperty {
        .list(name("email"), \.emails) { element in
            onlyText(element).map {
                VCard.Email($0, places: places(types(element)), isPreferred: isPreferred(element))
            }
        } _: { email in
            Element(name("email")) { builder in
                addParameters(placeNames(email.places), email.isPreferred, &builder)
                builder.child(textName, text: email.address)
            }
        }
    }

    /// XEP-0292 §11.1: an address in XMPP is one of instant messaging.
    private static var jids: VCardProperty {
        .list(name("impp"), \.jids) { element in
            guard let address = onlyURI(element), address.lowercased().hasPrefix("xmpp:"),
                let text = String(address.dropFirst(5)).removingPercentEncoding
            else { return nil }
            return try? JID(text)
        } _: { jid in
            let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#%"))
            let text = jid.description.addingPercentEncoding(withAllowedCharacters: allowed) ?? jid.description
            return Element(name("impp"), children: [Element(uri, text: "xmpp:\(text)")])
        }
    }

    private static var organization: VCardProperty {
        .single(name("org"), \.organization) { element in
            let texts = element.children(textName).map(\.text.trimmingXMLSpace)
            guard let first = texts.first, texts.contains(where: { !$0.isEmpty }) else { return nil }
            return VCard.Organization(first, units: Array(texts.dropFirst()))
        } _: { organization in
            Element(
                name("org"), children: ([organization.name] + organization.units).map { Element(textName, text: $0) })
        }
    }
}

/// A card in the format of XEP-0292.
package struct VCard4: StanzaPayload {
    package static let name = XMLName("vcard", "urn:ietf:params:xml:ns:vcard-4.0")
    package var card: VCard

    package init(_ card: VCard) { self.card = card }

    /// Parts that cannot be read are left out.
    package init?(_ element: Element) {
        guard let card = VCardCoding(.vCard4).card(element) else { return nil }
        self.card = card
    }

    package var element: Element { VCardCoding(.vCard4).element(card, over: nil) }
}
