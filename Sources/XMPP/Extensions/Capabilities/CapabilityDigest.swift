// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// The texts that the hashes of XEP-0115 and XEP-0390 are made of.
///
/// Both are made of the element as it came: a list that names a thing twice has no hash, and a value of ours would not
/// show that any more.
struct CapabilityDigest: Sendable, Hashable {
    private struct Identity: Sendable, Hashable {
        var category: [UInt8]
        var type: [UInt8]
        var language: [UInt8]
        var name: [UInt8]
    }

    private struct Field: Sendable, Hashable {
        var name: [UInt8]
        var values: [[UInt8]]
    }

    private struct Form: Sendable, Hashable {
        /// Nil where `FORM_TYPE` is missing or not hidden.
        var type: [UInt8]?
        /// All fields, `FORM_TYPE` among them.
        var fields: [Field]
    }

    private var identities: [Identity] = []
    private var features: [[UInt8]] = []
    private var forms: [Form] = []
    private var hasRows = false
    private var hasStrangers = false

    private static let formType = Array("FORM_TYPE".utf8)
    /// So many things a list may have of each kind: no program has more.
    private static let cap = 2000

    /// Reads a list; nil when it is ill-formed (XEP-0115 §5.4, B97).
    ///
    /// A language that the whole answer has counts for identities without one of their own when `inheriting`: some servers
    /// move it there.
    init?(_ query: Element, inheriting: Bool = false) {
        guard query.matches(Disco.info) else { return nil }
        for child in query.children {
            if child.matches(DiscoIdentity.name) {
                let language =
                    inheriting
                    ? child.language : child.attribute("lang", namespace: "http://www.w3.org/XML/1998/namespace")
                identities.append(
                    Identity(
                        category: Self.bytes(child["category"]), type: Self.bytes(child["type"]),
                        language: Self.bytes(language), name: Self.bytes(child["name"])))
            } else if child.matches(Disco.feature) {
                features.append(Self.bytes(child["var"]))
            } else if child.matches(DataForm.name) {
                guard let form = form(child) else { return nil }
                forms.append(form)
            } else {
                hasStrangers = true
            }
            guard identities.count <= Self.cap, features.count <= Self.cap, forms.count <= Self.cap else { return nil }
        }
        let types = forms.compactMap(\.type)
        guard Set(identities).count == identities.count, Set(features).count == features.count,
            Set(types).count == types.count
        else { return nil }
    }

    private mutating func form(_ element: Element) -> Form? {
        var form = Form(fields: [])
        for child in element.children {
            guard child.matches(DataForm.Field.name) else {
                hasRows = hasRows || child.matches(DataForm.columnsName) || child.matches(DataForm.itemName)
                continue
            }
            let field = Field(
                name: Self.bytes(child["var"]),
                values: child.children(DataForm.Field.valueName).map { Self.bytes($0.text) })
            if field.name == Self.formType, child.attributeEquals("type", "hidden") {
                guard form.type == nil, Set(field.values).count == 1 else { return nil }
                form.type = field.values.first
            }
            form.fields.append(field)
            guard form.fields.count <= Self.cap else { return nil }
        }
        return form
    }

    /// XEP-0115 §5.1: what the verification string is the hash of.
    var verificationInput: [UInt8] {
        var text: [UInt8] = []
        let end = UInt8(ascii: "<")
        var identityTexts: [[UInt8]] = []
        for identity in identities {
            let parts = [identity.category, identity.type, identity.language, identity.name]
            identityTexts.append(Array(parts.joined(separator: [UInt8(ascii: "/")])))
        }
        for part in Self.sorted(identityTexts) { text += part + [end] }
        for part in Self.sorted(features) { text += part + [end] }
        let typed = forms.filter { $0.type != nil }.sorted { ($0.type ?? []).lexicographicallyPrecedes($1.type ?? []) }
        for form in typed {
            text += (form.type ?? []) + [end]
            let fields = form.fields.filter { $0.name != Self.formType }
                .sorted { $0.name.lexicographicallyPrecedes($1.name) }
            for field in fields {
                text += field.name + [end]
                for value in Self.sorted(field.values) { text += value + [end] }
            }
        }
        return text
    }

    /// XEP-0390 §4.1: what the hashes are made of; nil for lists that have none.
    var hashInput: [UInt8]? {
        guard !hasStrangers, !hasRows, forms.allSatisfy({ $0.type != nil }) else { return nil }
        var text = Self.joined(features.map { $0 + [0x1F] }, end: 0x1C)
        text += Self.joined(identities.map { Self.hashInput(of: $0) }, end: 0x1C)
        text += Self.joined(forms.map { Self.hashInput(of: $0) }, end: 0x1C)
        return text
    }

    private static func hashInput(of identity: Identity) -> [UInt8] {
        var text: [UInt8] = []
        for part in [identity.category, identity.type, identity.language, identity.name] { text += part + [0x1F] }
        return text + [0x1E]
    }

    private static func hashInput(of form: Form) -> [UInt8] {
        var fields: [[UInt8]] = []
        for field in form.fields {
            let values = field.values.map { $0 + [0x1F] }
            fields.append(field.name + [0x1F] + joined(values, end: 0x1E))
        }
        return joined(fields, end: 0x1D)
    }

    /// The parts in order, then an end.
    private static func joined(_ parts: [[UInt8]], end: UInt8) -> [UInt8] {
        var text: [UInt8] = []
        for part in sorted(parts) { text += part }
        text.append(end)
        return text
    }

    /// Whether no other list can have the same verification string (T140, B97).
    ///
    /// XEP-0115 puts everything into one text with `<` and `/` between. A part that holds one of them can stand for
    /// several, and what one list has as features another has as the parts of a form.
    var isUnambiguous: Bool {
        guard forms.isEmpty, !identities.isEmpty else { return false }
        let end = UInt8(ascii: "<")
        return features.allSatisfy { !$0.isEmpty && !$0.contains(end) }
            && identities.allSatisfy { identity in
                Self.isToken(identity.category) && Self.isToken(identity.type)
                    && (identity.language.isEmpty || Self.isToken(identity.language)) && !identity.name.contains(end)
            }
    }

    private static func isToken(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Whether the list has that hash.
    func matches(_ key: CapabilityKey) -> Bool {
        switch key {
        case .verification(_, let hash): hash.matches(verificationInput) ?? false
        case .hash(let hash): hashInput.flatMap { hash.matches($0) } ?? false
        }
    }

    private static func bytes(_ text: String?) -> [UInt8] { text.map { Array($0.utf8) } ?? [] }

    /// The order of i;octet (RFC 4790 §9.3).
    private static func sorted(_ parts: [[UInt8]]) -> [[UInt8]] { parts.sorted { $0.lexicographicallyPrecedes($1) } }
}

extension DiscoInfo {
    /// The verification string of XEP-0115 for this list.
    package var verification: String {
        CapabilityDigest(element).map { base64(digest(.sha1, $0.verificationInput)) } ?? ""
    }

    /// The hash of XEP-0390 for this list, by SHA-256.
    package var capabilityHash: ContentHash? {
        CapabilityDigest(element)?.hashInput.map { ContentHash.sha256(of: $0) }
    }

    /// What a presence says for this list: the hashes of XEP-0115 §4 and XEP-0390 §4.
    func presenceElements(node: String) -> [Element] {
        let legacy = Element(
            CapabilityElements.name, attributes: ["hash": "sha-1", "node": node, "ver": verification])
        guard let capabilityHash else { return [legacy] }
        return [legacy, Element(CapabilityElements.name2, children: [capabilityHash.element])]
    }
}
