// SPDX-License-Identifier: Apache-2.0

/// How one part of a card stands in one of the formats.
struct VCardProperty {
    /// The element that holds it.
    let name: XMLName
    /// Reads it from all elements of that name.
    let read: ([Element], inout VCard) -> Void
    /// Whether two cards have the same there.
    let isSame: (VCard, VCard) -> Bool
    /// Writes it; what stands in an element of before for the same value is taken as it is.
    let write: (VCard, [Element]) -> [Element]

    /// A part that is there once: the first element that can be read counts.
    static func single<Value: Hashable>(
        _ name: XMLName, _ path: WritableKeyPath<VCard, Value?>, _ read: @escaping (Element) -> Value?,
        _ write: @escaping (Value) -> Element
    ) -> VCardProperty {
        VCardProperty(
            name: name,
            read: { elements, card in card[keyPath: path] = elements.lazy.compactMap(read).first },
            isSame: { $0[keyPath: path] == $1[keyPath: path] },
            write: { card, _ in card[keyPath: path].map { [write($0)] } ?? [] })
    }

    /// A part that is there any number of times.
    static func list<Value: Hashable>(
        _ name: XMLName, _ path: WritableKeyPath<VCard, [Value]>, _ read: @escaping (Element) -> Value?,
        _ write: @escaping (Value) -> Element
    ) -> VCardProperty {
        VCardProperty(
            name: name,
            read: { elements, card in card[keyPath: path] = elements.compactMap(read) },
            isSame: { $0[keyPath: path] == $1[keyPath: path] },
            write: { card, before in
                var old = before.map { (value: read($0), element: $0) }
                let written = card[keyPath: path].map { value -> Element in
                    guard let place = old.firstIndex(where: { $0.value == value }) else { return write(value) }
                    return old.remove(at: place).element
                }
                // What cannot be read here is not ours to throw away.
                return written + old.filter { $0.value == nil }.map(\.element)
            })
    }
}

/// A card in one format.
package struct VCardCoding {
    let root: XMLName
    let properties: [VCardProperty]

    package init(_ format: VCard.Format) {
        switch format {
        case .temporary: self.init(root: VCardNames.card, properties: VCardNames.properties)
        case .vCard4: self.init(root: VCard4Names.card, properties: VCard4Names.properties)
        }
    }

    private init(root: XMLName, properties: [VCardProperty]) {
        self.root = root
        self.properties = properties
    }

    /// What the element says; nil for another element.
    package func card(_ element: Element) -> VCard? {
        guard element.matches(root) else { return nil }
        var card = VCard()
        for property in properties { property.read(element.children(property.name), &card) }
        return card
    }

    /// The card as an element; where there was one before, everything in it that the card does not change stays as it was,
    /// known or not, in its place.
    package func element(_ card: VCard, over original: Element?) -> Element {
        let before = original.flatMap { self.card($0) } ?? VCard()
        func elements(_ property: VCardProperty) -> [Element] {
            let old = original?.children(property.name) ?? []
            return property.isSame(before, card) ? old : property.write(card, old)
        }
        return Element(root) { builder in
            if let original {
                for attribute in original.attributes {
                    builder.attribute(attribute.name.local, namespace: attribute.name.namespace, attribute.value)
                }
            }
            var written: Set<Int> = []
            for child in original.map({ Array($0.children) }) ?? [] {
                guard let index = properties.firstIndex(where: { child.matches($0.name) }) else {
                    builder.child(child)
                    continue
                }
                guard written.insert(index).inserted else { continue }
                for element in elements(properties[index]) { builder.child(element) }
            }
            for index in properties.indices where !written.contains(index) {
                for element in elements(properties[index]) { builder.child(element) }
            }
        }
    }
}
