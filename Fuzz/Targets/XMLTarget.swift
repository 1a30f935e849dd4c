// SPDX-License-Identifier: Apache-2.0
import XMPP

/// The XML parser by itself.
///
/// The first byte says in which pieces the parser gets the rest a second time: the events must be the same. Every stanza
/// must also survive being read through, copied and written.
func fuzzXML(_ input: UnsafeRawBufferPointer) {
    guard input.count > 1 else { return }
    let bytes = UnsafeRawBufferPointer(rebasing: input.dropFirst())
    let whole = events(bytes, piece: bytes.count)
    let pieces = events(bytes, piece: 1 + Int(input[0] % 64))
    // An error in a token that is still open may be seen at another byte, but the events before it are the same.
    precondition(whole.events == pieces.events, "events depend on the pieces")
    precondition((whole.error == nil) == (pieces.error == nil), "the error depends on the pieces")
    for case .stanza(let stanza) in whole.events { check(stanza) }
}

private func events(_ bytes: UnsafeRawBufferPointer, piece: Int) -> (events: [XMLStreamEvent], error: XMLError?) {
    var limits = XMLLimits(stanzaBytes: 1024)
    limits.depth = 8
    limits.attributes = 8
    limits.nameBytes = 64
    limits.namespaces = 4
    var parser = XMLStreamParser(limits: limits)
    var events: [XMLStreamEvent] = []
    var start = 0
    do throws(XMLError) {
        while start < bytes.count {
            let end = min(bytes.count, start + piece)
            parser.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            start = end
            while true {
                let event = try parser.next()
                if case .needsMoreBytes = event { break }
                events.append(event)
            }
        }
        return (events, nil)
    } catch {
        do throws(XMLError) {
            _ = try parser.next()
            preconditionFailure("an error was forgotten")
        } catch let second {
            precondition(second == error, "an error changed")
        }
        return (events, error)
    }
}

private func check(_ stanza: Element) {
    var elements = [stanza]
    while let element = elements.popLast() {
        precondition(element == element)
        precondition(element.matches(element.name))
        for (name, value) in element.attributes {
            precondition(element.attribute(name.local, namespace: name.namespace) == value)
        }
        _ = element.text
        _ = element.language
        _ = element.hashValue
        elements += element.children
    }
    let wrapped = Element(XMLName("wrapper", "urn:example:wrapper")) { $0.child(stanza) }
    precondition(wrapped.children.first == stanza)
    precondition(reparse(stanza.xml) == stanza, stanza.xml)
    precondition(reparse(wrapped.xml) == wrapped)
}

private func reparse(_ xml: String) -> Element? {
    var limits = XMLLimits.afterLogin
    limits.depth = 200
    var parser = XMLStreamParser(limits: limits)
    Array("<r>\(xml)".utf8).withUnsafeBytes { parser.append($0) }
    guard case .open? = try? parser.next(), case .stanza(let element)? = try? parser.next() else { return nil }
    return element
}
