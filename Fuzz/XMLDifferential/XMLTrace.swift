// SPDX-License-Identifier: Apache-2.0
package import XMPP

/// Events of a stream written down as bytes, so that two parsers can be compared.
///
/// Control bytes that XML cannot contain separate the parts. Text that arrives in pieces is one run.
package struct XMLTrace: Sendable, Hashable {
    package var bytes: [UInt8] = []
    /// The length up to the last complete event.
    package var complete = 0
    private var endsWithText = false

    package init() {}

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        complete = 0
        endsWithText = false
    }

    mutating func start(_ namespace: some Collection<UInt8>, _ local: some Collection<UInt8>) {
        part(1, namespace)
        part(2, local)
    }

    mutating func attribute(
        _ namespace: some Collection<UInt8>, _ local: some Collection<UInt8>, _ value: some Collection<UInt8>
    ) {
        part(3, namespace)
        part(2, local)
        part(4, value)
    }

    mutating func text(_ text: some Collection<UInt8>) {
        if text.isEmpty { return }
        if !endsWithText { bytes.append(5) }
        bytes.append(contentsOf: text)
        endsWithText = true
    }

    mutating func end() {
        bytes.append(6)
        endsWithText = false
    }

    mutating func finishEvent() { complete = bytes.count }

    private mutating func part(_ mark: UInt8, _ part: some Collection<UInt8>) {
        bytes.append(mark)
        bytes.append(contentsOf: part)
        endsWithText = false
    }
}

extension XMLTrace {
    package mutating func append(_ event: XMLStreamEvent) {
        switch event {
        case .needsMoreBytes: return
        case .open(let element): startTag(element)
        case .stanza(let element): append(element)
        case .close: end()
        }
        finishEvent()
    }

    /// Appends a whole tree; depth costs no call.
    package mutating func append(_ element: Element) {
        startTag(element)
        var stack = [element.content.makeIterator()]
        while var iterator = stack.popLast() {
            switch iterator.next() {
            case .text(let text)?:
                self.text(text.utf8)
                stack.append(iterator)
            case .element(let child)?:
                stack.append(iterator)
                startTag(child)
                stack.append(child.content.makeIterator())
            case nil: end()
            }
        }
    }

    private mutating func startTag(_ element: Element) {
        let name = element.name
        start(name.namespace.utf8, name.local.utf8)
        for (name, value) in element.attributes {
            attribute(name.namespace.utf8, name.local.utf8, value.utf8)
        }
    }
}
