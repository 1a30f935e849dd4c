// SPDX-License-Identifier: Apache-2.0

/// The children of a stanza: those of a received element, read where they lie, or a list built in code.
package struct StanzaContent: Sendable {
    private enum Storage: Sendable {
        case received(Element)
        case built([Element])
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
            case .built(let payloads): payloads
            }
        }
        set { storage = .built(newValue) }
    }

    package func first(_ name: XMLName) -> Element? {
        switch storage {
        case .received(let stanza): stanza.child(name)
        case .built(let payloads): payloads.first { $0.matches(name) }
        }
    }

    package func all(_ name: XMLName) -> [Element] {
        switch storage {
        case .received(let stanza): stanza.children(name)
        case .built(let payloads): payloads.filter { $0.matches(name) }
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

    package func write(to writer: inout XMLWriter) throws(XMLError) {
        switch storage {
        case .received(let stanza):
            for payload in stanza.children { try writer.element(payload, inheriting: Namespace.client) }
        case .built(let payloads):
            for payload in payloads { try writer.element(payload, inheriting: Namespace.client) }
        }
    }
}
