// SPDX-License-Identifier: Apache-2.0

extension DataForm: StanzaPayload {
    package static let namespace = "jabber:x:data"
    package static let name = XMLName("x", namespace)
    static let titleName = XMLName("title", namespace)
    static let instructionsName = XMLName("instructions", namespace)

    /// XEP-0004 §3.1: the type is required; of two fields with one name the first counts.
    package init?(_ element: Element) {
        guard element.matches(Self.name), let kind = element["type"].flatMap(Kind.init(rawValue:)) else { return nil }
        var names: Set<String> = []
        var fields: [Field] = []
        for child in element.children(Field.name) {
            guard let field = Field(child), field.name.map({ names.insert($0).inserted }) ?? true else { continue }
            fields.append(field)
        }
        self.init(
            kind, title: element.childText(Self.titleName),
            instructions: element.children(Self.instructionsName).map(\.text.trimmingXMLSpace).filter { !$0.isEmpty },
            fields: fields)
    }

    package var element: Element {
        Element(Self.name) { builder in
            builder.attribute("type", kind.rawValue)
            if let title { builder.child(Self.titleName, text: title) }
            for paragraph in instructions { builder.child(Self.instructionsName, text: paragraph) }
            for field in fields { builder.child(field.element) }
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
            })
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
            guard !media.isEmpty else { return }
            builder.child(Element(Self.media, children: media.map { Element(Self.uri, text: $0) }))
        }
    }
}
