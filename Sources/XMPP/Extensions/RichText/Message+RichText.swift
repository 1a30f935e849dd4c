// SPDX-License-Identifier: Apache-2.0

extension Message {
    private static let html = XMLName("html", "http://jabber.org/protocol/xhtml-im")
    private static let xhtml = "http://www.w3.org/1999/xhtml"

    /// The text of a formatted body, without any format (XEP-0071 §7): for messages that have no plain one.
    ///
    /// Formats are never shown: what markup of strangers can do is not worth what it is good for. Pictures are their
    /// description, links their text, and paragraphs are lines.
    public var plainTextOfRichBody: String? {
        guard kind != .error, let body = payload(Self.html)?.child(XMLName("body", Self.xhtml)) else { return nil }
        var text = ""
        Self.append(body, to: &text)
        let trimmed = text.trimmingXMLSpace
        return trimmed.isEmpty ? nil : trimmed
    }

    private static let lines: Set<String> = [
        "p", "div", "blockquote", "li", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "dt", "dd",
    ]

    private static func append(_ element: Element, to text: inout String) {
        for part in element.content {
            switch part {
            case .text(let run): appendCollapsed(run, to: &text)
            case .element(let child):
                let name = child.namespace == xhtml ? child.localName : ""
                switch name {
                case "br": text += "\n"
                case "img": text += child["alt"] ?? ""
                case "script", "style", "head", "title": break
                default:
                    let isLine = lines.contains(name)
                    if isLine { endLine(&text) }
                    append(child, to: &text)
                    if isLine { endLine(&text) }
                }
            }
        }
    }

    private static func endLine(_ text: inout String) {
        if !text.isEmpty, text.utf8.last != UInt8(ascii: "\n") { text += "\n" }
    }

    /// White space in markup is one space.
    private static func appendCollapsed(_ run: String, to text: inout String) {
        for scalar in run.unicodeScalars {
            switch scalar {
            case " ", "\t", "\n", "\r":
                if let last = text.utf8.last, last != UInt8(ascii: " "), last != UInt8(ascii: "\n") { text += " " }
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
