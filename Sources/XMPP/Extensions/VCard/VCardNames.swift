// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The names of the old format, and how its parts are written (XEP-0054 §9).
enum VCardNames {
    static let namespace = "vcard-temp"
    static let card = XMLName("vCard", namespace)
    static let photo = XMLName("PHOTO", namespace)
    static let data = XMLName("BINVAL", namespace)
    private static let kind = XMLName("TYPE", namespace)
    private static let link = XMLName("EXTVAL", namespace)
    private static let preferred = XMLName("PREF", namespace)

    private static func name(_ local: String) -> XMLName { XMLName(local, namespace) }

    private static func filled(_ element: Element) -> String? {
        let text = element.text.trimmingXMLSpace
        return text.isEmpty ? nil : text
    }

    /// A part whose element holds nothing but text.
    private static func text(_ local: String, _ path: WritableKeyPath<VCard, String?>) -> VCardProperty {
        .single(name(local), path, filled) { Element(name(local), text: $0) }
    }

    private static func part(_ element: Element, _ local: String) -> String {
        element.childText(name(local)) ?? ""
    }

    private static func places(_ element: Element) -> Set<VCard.Place> {
        Set(VCard.Place.allCases.filter { element.child(name($0.rawValue.uppercased())) != nil })
    }

    /// Marks without content: `<HOME/>`, `<PREF/>`.
    private static func marks(_ places: Set<VCard.Place>, _ isPreferred: Bool, _ builder: inout ElementBuilder) {
        for place in VCard.Place.allCases where places.contains(place) {
            builder.child(Element(name(place.rawValue.uppercased())))
        }
        if isPreferred { builder.child(Element(preferred)) }
    }

    static var properties: [VCardProperty] {
        [
            text("FN", \.fullName), personName,
            .list(name("NICKNAME"), \.nicknames, filled) {
                Element(name("NICKNAME"), text: $0)
            },
            photoProperty, text("BDAY", \.birthday), addresses, phones, emails,
            .list(name("JABBERID"), \.jids, { try? JID($0.text.trimmingXMLSpace) }) {
                Element(name("JABBERID"), text: $0.description)
            },
            text("TITLE", \.title), text("ROLE", \.role), organization,
            .list(name("URL"), \.urls, filled) { Element(name("URL"), text: $0) }, text("DESC", \.note),
        ]
    }

    private static var personName: VCardProperty {
        .single(name("N"), \.name) { element in
            let person = VCard.PersonName(
                family: part(element, "FAMILY"), given: part(element, "GIVEN"), middle: part(element, "MIDDLE"),
                prefix: part(element, "PREFIX"), suffix: part(element, "SUFFIX"))
            return person == VCard.PersonName() ? nil : person
        } _: { value in
            Element(name("N")) { builder in
                for (local, text) in [
                    ("FAMILY", value.family), ("GIVEN", value.given), ("MIDDLE", value.middle),
                    ("PREFIX", value.prefix),
                    ("SUFFIX", value.suffix),
                ] where !text.isEmpty || local == "FAMILY" || local == "GIVEN" {
                    builder.child(name(local), text: text)
                }
            }
        }
    }

    /// The kind is read from the picture and not from `<TYPE/>`, which may be missing or wrong (XEP-0153 §5, B83).
    private static var photoProperty: VCardProperty {
        .single(photo, \.photo) { element in
            if let data = element.child(data) {
                guard let bytes = try? data.pictureBytes(Picture.Limits()), let picture = try? Picture(bytes) else {
                    return nil
                }
                return .picture(picture)
            }
            return element.childText(link).map { .link($0) }
        } _: { photo in
            switch photo {
            case .picture(let picture):
                Element(
                    Self.photo,
                    children: [
                        Element(kind, text: picture.format.mediaType), Element(data, text: base64(picture.bytes)),
                    ])
            case .link(let url): Element(Self.photo, children: [Element(link, text: url)])
            }
        }
    }

    private static var addressParts: [(String, WritableKeyPath<VCard.PostalAddress, String>)] {
        [
            ("POBOX", \.box), ("EXTADD", \.extra), ("STREET", \.street), ("LOCALITY", \.locality), ("REGION", \.region),
            ("PCODE", \.postalCode), ("CTRY", \.country),
        ]
    }

    private static var addresses: VCardProperty {
        .list(name("ADR"), \.addresses) { element in
            var address = VCard.PostalAddress()
            for (local, path) in addressParts { address[keyPath: path] = part(element, local) }
            guard address != VCard.PostalAddress() else { return nil }
            address.places = places(element)
            address.isPreferred = element.child(preferred) != nil
            return address
        } _: { address in
            Element(name("ADR")) { builder in
                marks(address.places, address.isPreferred, &builder)
                for (local, path) in addressParts where !address[keyPath: path].isEmpty {
                    builder.child(name(local), text: address[keyPath: path])
                }
            }
        }
    }

    private static var phones: VCardProperty {
        .list(name("TEL"), \.phones) { element in
            guard let number = element.childText(name("NUMBER")) else { return nil }
            return VCard.Phone(
                number, places: places(element),
                kinds: Set(VCard.Phone.Kind.allCases.filter { element.child(name($0.rawValue.uppercased())) != nil }),
                isPreferred: element.child(preferred) != nil)
        } _: { phone in
            Element(name("TEL")) { builder in
                marks(phone.places, phone.isPreferred, &builder)
                for kind in VCard.Phone.Kind.allCases where phone.kinds.contains(kind) {
                    builder.child(Element(name(kind.rawValue.uppercased())))
                }
                builder.child(name("NUMBER"), text: phone.number)
            }
        }
    }

    private static var emails: VCardProperty {
        .list(name("EMAIL"), \.emails) { element in
            guard let address = element.childText(name("USERID")) else { return nil }
            return VCard.Email(
                address, places: places(element), isPreferred: element.child(preferred) != nil)
        } _: { email in
            Element(name("EMAIL")) { builder in
                marks(email.places, email.isPreferred, &builder)
                builder.child(Element(name("INTERNET")))
                builder.child(name("USERID"), text: email.address)
            }
        }
    }

    private static var organization: VCardProperty {
        .single(name("ORG"), \.organization) { element in
            let units = element.children(name("ORGUNIT")).compactMap(filled)
            guard let title = element.childText(name("ORGNAME")) ?? (units.isEmpty ? nil : "") else { return nil }
            return VCard.Organization(title, units: units)
        } _: { organization in
            Element(name("ORG")) { builder in
                builder.child(name("ORGNAME"), text: organization.name)
                for unit in organization.units { builder.child(name("ORGUNIT"), text: unit) }
            }
        }
    }
}

extension VCard: StanzaPayload {
    package static let name = XMLName("vCard", "vcard-temp")

    /// XEP-0054 §3: parts that cannot be read are left out.
    package init?(_ element: Element) {
        guard let card = VCardCoding(.temporary).card(element) else { return nil }
        self = card
    }

    package var element: Element { VCardCoding(.temporary).element(self, over: nil) }
}

extension Element {
    /// The bytes of the picture in a card of the old format; nil when it has none.
    func cardPictureBytes(_ limits: Picture.Limits) throws(XMPPError) -> [UInt8]? {
        guard let data = child(VCardNames.photo)?.child(VCardNames.data) else { return nil }
        return try data.pictureBytes(limits)
    }
}
