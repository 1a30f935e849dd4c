// SPDX-License-Identifier: Apache-2.0

/// What a server wants to know before it makes an account (XEP-0077 §3.1).
///
/// Servers ask in one of two ways, by a data form (XEP-0004) or by fixed fields. Where both are there the form counts,
/// and never both (XEP-0077 §4); this type shows them alike.
public struct RegistrationForm: Sendable, Hashable {
    /// A heading, nil without.
    public let title: String?
    /// Paragraphs that explain the form.
    public let instructions: [String]
    /// What to ask the person, in order; hidden fields are not among them.
    public let fields: [DataForm.Field]
    /// Where to make the account instead, when the server wants it made elsewhere: a web page (XEP-0077 §5).
    public let elsewhere: String?
    /// Whether the account exists already: the server fills in what it knows.
    public let isRegistered: Bool
    /// Whether the server asks by a data form.
    public var usesDataForm: Bool { source != nil }
    /// Whether the server checks that it talks to a person (XEP-0158).
    public let hasCaptcha: Bool
    /// The required fields that cannot be asked for in text, by the names people know.
    ///
    /// They are pictures that are neither in the form nor on the web, and puzzles for computers. Without them the server will
    /// refuse; say so.
    public var unsupportedFields: [String] { unsupportedFields(without: [:]) }

    /// Pictures that came with the form (XEP-0158 §4, XEP-0231 §2).
    private let data: [SmallData]
    /// The form as it came.
    private let source: DataForm?
    /// What the fixed fields hold that go back unchanged.
    private let key: String?

    /// Whether anything can be filled in here at all.
    public var isEmpty: Bool { fields.isEmpty && source == nil }

    /// Reads the answer of a server; nil when it is none.
    package init?(_ reply: IQ) {
        guard reply.kind == .result, let query = reply.payload, query.matches(Registration.query) else { return nil }
        isRegistered = query.child(Registration.registered) != nil
        data = query.children(SmallData.name).prefix(16).compactMap { SmallData($0) }
        let plain = query.childText(Registration.instructions).map { [$0] } ?? []
        elsewhere = query.child(Registration.elsewhere)?.childText(Registration.url)
        let form = query.child(DataForm.name).flatMap { DataForm($0) }
        if let form, form.kind == .form {
            source = form
            key = nil
            title = form.title
            instructions = form.instructions.isEmpty ? plain : form.instructions
            fields = Self.withFallbacks(form.fields.filter { $0.kind != .hidden })
        } else {
            source = nil
            title = nil
            instructions = plain
            key = query.child(XMLName("key", Registration.namespace))?.text
            fields = Registration.fieldTitles.compactMap { name, title in
                guard name != "key", let child = query.child(XMLName(name, Registration.namespace)) else { return nil }
                let value = child.text
                return DataForm.Field(
                    name, kind: name == "password" ? .secret : .line, label: title,
                    isRequired: name == "username" || name == "password", values: value.isEmpty ? [] : [value])
            }
        }
        hasCaptcha =
            source?.formType == "urn:xmpp:captcha" || source?["challenge"] != nil
            || fields.contains { !$0.media.isEmpty }
    }

    /// A field whose picture travels inside XMPP gets the web address that the server offers beside it (XEP-0158 §4).
    private static func withFallbacks(_ fields: [DataForm.Field]) -> [DataForm.Field] {
        let addresses = fields.filter { $0.name == "captcha-fallback-url" }.flatMap(\.values).filter(isWebAddress)
        guard !addresses.isEmpty else { return fields }
        return fields.compactMap { field in
            if field.name == "captcha-fallback-url" { return nil }
            var field = field
            if !field.media.isEmpty { field.media += addresses.filter { !field.media.contains($0) } }
            return field
        }
    }

    private static func isWebAddress(_ text: String) -> Bool {
        text.hasPrefix("https://") || text.hasPrefix("http://")
    }

    /// Those of ``unsupportedFields`` that have no value all the same.
    func unsupportedFields(without values: [String: [String]]) -> [String] {
        fields.filter { $0.isRequired && !canBeAsked($0) && values[$0.name ?? ""] == nil }.map(\.title)
    }

    private func canBeAsked(_ field: DataForm.Field) -> Bool {
        // XEP-0158 §6.2: the label is the start of a digest that a computer must find the rest for.
        if field.name == "SHA-256" { return false }
        return field.media.isEmpty || field.media.contains(where: Self.isWebAddress) || picture(for: field) != nil
    }

    /// The picture that belongs to a question and came with the form, nil when there is none that can be shown.
    ///
    /// One that did not come along may be to be had from the server: ``InBandRegistration/picture(for:)``.
    public func picture(for field: DataForm.Field) -> Picture? {
        for cid in Self.contentIDs(field) {
            if let found = data.first(where: { $0.cid == cid }), let picture = try? Picture(found.bytes) {
                return picture
            }
        }
        return nil
    }

    /// The identifiers of pictures that travel inside XMPP (XEP-0231 §2).
    static func contentIDs(_ field: DataForm.Field) -> [String] {
        field.media.compactMap { $0.lowercased().hasPrefix("cid:") ? String($0.dropFirst(4)) : nil }
    }
}

extension RegistrationForm {
    /// The answer to the form: the data form or the fixed fields, never both (XEP-0077 §4).
    ///
    /// Throws ``XMPPError`` `detailsNotAcceptable` when something required is missing, naming it.
    package func payload(_ values: [String: [String]]) throws(XMPPError) -> Element {
        if let source {
            let missing = source.missing(in: values).map(\.title)
            guard missing.isEmpty else {
                throw XMPPError(
                    .detailsNotAcceptable, "the server also needs: \(missing.joined(separator: ", "))")
            }
            return Element(Registration.query, children: [source.filled(with: values).element])
        }
        // §3.1: all fields go back, those without a value empty.
        var names = fields.compactMap(\.name)
        for name in values.keys.sorted() where !names.contains(name) && Self.isField(name) { names.append(name) }
        return Element(Registration.query) { builder in
            for name in names {
                let own = fields.first { $0.name == name }?.values ?? []
                builder.child(
                    XMLName(name, Registration.namespace), text: (values[name] ?? own).joined(separator: "\n"))
            }
            if let key { builder.child(XMLName("key", Registration.namespace), text: key) }
        }
    }

    private static func isField(_ name: String) -> Bool {
        name != "key" && Registration.fieldTitles.contains { $0.name == name }
    }
}
