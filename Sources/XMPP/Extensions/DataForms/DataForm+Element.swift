// SPDX-License-Identifier: Apache-2.0

extension DataForm: StanzaPayload {
    package static let namespace = "jabber:x:data"
    package static let name = XMLName("x", namespace)
    static let titleName = XMLName("title", namespace)
    static let instructionsName = XMLName("instructions", namespace)

    static let columnsName = XMLName("reported", namespace)
    static let itemName = XMLName("item", namespace)

    /// So many fields a form has at most, and so many options a field: nobody fills in more (T081).
    package static let fieldCap = 1000
    /// So many rows a result has at most.
    package static let itemCap = 10_000

    /// XEP-0004 §3.1: the type is required; of two fields with one name the first counts.
    ///
    /// A form beyond the caps is refused whole: half of one would be sent back as if it were all.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let kind = element["type"].flatMap(Kind.init(rawValue:)),
            let fields = Self.fields(of: element),
            let columns = element.child(Self.columnsName).map({ Self.fields(of: $0) }) ?? []
        else { return nil }
        var items: [[Field]] = []
        for child in element.children where child.matches(Self.itemName) {
            guard items.count < Self.itemCap, let fields = Self.fields(of: child) else { return nil }
            items.append(fields)
        }
        self.init(
            kind, title: element.childText(Self.titleName),
            instructions: element.children(Self.instructionsName).map(\.text.trimmingXMLSpace).filter { !$0.isEmpty },
            fields: fields, columns: columns, items: items)
    }

    private static func fields(of element: Element) -> [Field]? {
        var names: Set<String> = []
        var fields: [Field] = []
        var count = 0
        for child in element.children where child.matches(Field.name) {
            count += 1
            guard count <= fieldCap else { return nil }
            guard let field = Field(child), field.name.map({ names.insert($0).inserted }) ?? true else { continue }
            guard field.options.count <= fieldCap else { return nil }
            fields.append(field)
        }
        return fields
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.attribute("type", kind.rawValue)
            if let title { builder.child(Self.titleName, text: title) }
            for paragraph in instructions { builder.child(Self.instructionsName, text: paragraph) }
            for field in fields { builder.child(field.element) }
            if !columns.isEmpty { builder.child(Element(Self.columnsName, children: columns.map(\.element))) }
            for item in items { builder.child(Element(Self.itemName, children: item.map(\.element))) }
        }
    }
}

extension DataForm.Field: StanzaPayload {
    package static let name = XMLName("field", DataForm.namespace)
    static let valueName = XMLName("value", DataForm.namespace)
    static let requiredName = XMLName("required", DataForm.namespace)
    static let descriptionName = XMLName("desc", DataForm.namespace)
    static let optionName = XMLName("option", DataForm.namespace)
    static let media = XMLName("media", "urn:xmpp:media-element")
    static let uri = XMLName("uri", "urn:xmpp:media-element")

    /// XEP-0004 §3.2: only a text of the form may lack a name.
    package init?(_ element: Element) {
        let kind = element["type"].flatMap(Kind.init(rawValue:)) ?? .line
        let name = element.filled("var")
        guard name != nil || kind == .fixed else { return nil }
        self.init(
            name, kind: kind, label: element.filled("label"),
            explanation: element.childText(Self.descriptionName),
            isRequired: element.child(Self.requiredName) != nil,
            values: element.children(Self.valueName).map(\.text),
            options: element.children(Self.optionName).compactMap { option in
                option.child(Self.valueName).map { Option(label: option.filled("label"), value: $0.text) }
            },
            media: element.children(Self.media).flatMap { media in
                media.children(Self.uri).map(\.text.trimmingXMLSpace).filter { !$0.isEmpty }
            },
            validation: element.child(DataForm.Validation.name).flatMap { DataForm.Validation($0) })
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.attribute("var", name)
            builder.attribute("type", kind.rawValue)
            builder.attribute("label", label)
            if let explanation { builder.child(Self.descriptionName, text: explanation) }
            if isRequired { builder.child(Element(Self.requiredName)) }
            for value in values { builder.child(Self.valueName, text: value) }
            for option in options {
                builder.child(
                    Element(
                        Self.optionName, attributes: ["label": option.label],
                        children: [Element(Self.valueName, text: option.value)]))
            }
            if let validation { builder.child(validation.element) }
            guard !media.isEmpty else { return }
            builder.child(Element(Self.media, children: media.map { Element(Self.uri, text: $0) }))
        }
    }
}
