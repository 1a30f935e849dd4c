// SPDX-License-Identifier: Apache-2.0
import XMPP

/// Addresses: what is taken is taken again as it is written, and the two readers agree.
func fuzzJID(_ bytes: UnsafeRawBufferPointer) {
    let text = String(decoding: bytes, as: UTF8.self)
    let strict = try? JID(text)
    if let strict {
        precondition((try? JID(strict.description)) == strict, "the canonical form is not stable")
        precondition(strict.description.utf8.count <= 3 * 1023 + 2)
        precondition(strict.bare.resource == nil && strict.bare.isSameBare(as: strict))
        precondition(JID(wire: strict.description) == strict, "the reader of the wire refuses a canonical address")
        precondition(strict.hashValue == (try? JID(strict.description))?.hashValue)
    }
    bytes.withMemoryRebound(to: UInt8.self) { octets in
        guard let wire = JID(wire: octets) else { return }
        precondition(JID(wire: wire.description) == wire)
        _ = (wire.local, wire.domain, wire.resource, wire.bare, wire.description)
    }
    if let escaped = try? JID.escape(local: text) {
        precondition(!escaped.utf8.contains { "\"&'/:<>@ ".utf8.contains($0) }, "not escaped: \(escaped)")
        if let jid = try? JID(local: escaped, domain: "example.org") {
            precondition((try? JID(jid.description)) == jid)
        }
    }
    _ = try? saslPrep(text)
}

/// Stamps of both forms: what is taken is written so that it is taken again as the same.
func fuzzDate(_ bytes: UnsafeRawBufferPointer) {
    let text = String(decoding: bytes, as: UTF8.self)
    for date in [DateTime(text), DateTime(legacy: text)] {
        guard let date else { continue }
        precondition((0...999_999_999).contains(date.nanoseconds))
        precondition(DateTime(date.description) == date, "\(date)")
        precondition(DateTime(seconds: date.seconds, nanoseconds: date.nanoseconds) == date)
    }
}

/// Data forms and discovery: what is read is written so that it is read again as the same.
func fuzzForms(_ bytes: UnsafeRawBufferPointer) {
    var parser = XMLStreamParser(limits: .beforeLogin)
    Array("<s xmlns='jabber:x:data'>".utf8).withUnsafeBytes { parser.append($0) }
    parser.append(bytes)
    guard case .open? = try? parser.next() else { return }
    while case .stanza(let element)? = try? parser.next() {
        if let form = DataForm(element) {
            precondition(DataForm(form.element) == form)
            _ = (form.formType, form.missing(in: [:]), form.filled(with: ["a": ["b"]]).element.xml)
        }
        if let info = DiscoInfo(element) { precondition(DiscoInfo(info.element) == info) }
        for child in element.children {
            if let item = DiscoItem(child) { precondition(DiscoItem(item.element) == item) }
        }
        _ = (SoftwareVersion(element), EntityTime(element), RosterItem(element), Delay(element))
    }
}
