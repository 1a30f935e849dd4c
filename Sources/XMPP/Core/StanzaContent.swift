// SPDX-License-Identifier: Apache-2.0

/// The children of a stanza: those of a received element, read where they lie, or a list built in code.
package struct StanzaContent: Sendable {
    private enum Storage: Sendable {
        case received(Element)
        case built([Element])
        /// Built, for a stanza with attributes that no specification knows.
        indirect case marked([Element], [String: String])
    }

    private var storage: Storage

    package init() { storage = .built([]) }
    package init(_ payloads: [Element]) { storage = .built(payloads) }
    package init(received stanza: Element) { storage = .received(stanza) }

    /// The received stanza whose children these are, nil when built or changed in code.
    package var received: Element? {
        if case .received(let stanza) = storage { stanza } else { nil }
    }

    package var payloads: [Element] {
        get {
            switch storage {
            case .received(let stanza): Array(stanza.children)
            case .built(let payloads), .marked(let payloads, _): payloads
            }
        }
        set {
            let marks = foreignAttributes
            storage = marks.isEmpty ? .built(newValue) : .marked(newValue, marks)
        }
    }

    /// The attributes of the stanza that no specification knows, as far as they were set here; for a received one only
    /// ``foreignAttribute(_:)`` tells.
    private var foreignAttributes: [String: String] {
        if case .marked(_, let marks) = storage { marks } else { [:] }
    }

    package func foreignAttribute(_ name: String) -> String? {
        if case .received(let stanza) = storage { stanza[name] } else { foreignAttributes[name] }
    }

    package mutating func setForeignAttribute(_ name: String, _ value: String?) {
        var marks = foreignAttributes
        marks[name] = value
        storage = marks.isEmpty ? .built(payloads) : .marked(payloads, marks)
    }

    package func first(_ name: XMLName) -> Element? {
        switch storage {
        case .received(let stanza): stanza.child(name)
        case .built(let payloads), .marked(let payloads, _): payloads.first { $0.matches(name) }
        }
    }

    package func all(_ name: XMLName) -> [Element] {
        switch storage {
        case .received(let stanza): stanza.children(name)
        case .built(let payloads), .marked(let payloads, _): payloads.filter { $0.matches(name) }
        }
    }

    package mutating func append(_ payload: Element) {
        if case .built(var payloads) = storage {
            storage = .built([])
            payloads.append(payload)
            storage = .built(payloads)
        } else {
            payloads += [payload]
        }
    }

    /// Replaces every payload of that name by `replacement`, or takes them out.
    package mutating func set(_ name: XMLName, to replacement: Element?) {
        var rest = payloads.filter { !$0.matches(name) }
        if let replacement { rest.append(replacement) }
        payloads = rest
    }

    /// Writes the attributes that no specification knows into a start tag.
    @inline(__always)
    package func writeForeignAttributes(to writer: inout XMLWriter) throws(XMLError) {
        guard case .marked(_, let marks) = storage else { return }
        for (name, value) in marks.sorted(by: { $0.key < $1.key }) {
            writer.raw(text: " \(name)=\"")
            try writer.value(value)
            writer.raw("\"")
        }
    }

    package func write(to writer: inout XMLWriter) throws(XMLError) {
        switch storage {
        case .received(let stanza):
            for payload in stanza.children { try writer.element(payload, inheriting: Namespace.client) }
        case .built(let payloads), .marked(let payloads, _):
            for payload in payloads { try writer.element(payload, inheriting: Namespace.client) }
        }
    }
}
