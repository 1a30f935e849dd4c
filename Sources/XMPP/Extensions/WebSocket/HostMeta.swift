// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation

/// A domain's document of other ways to reach it (XEP-0156 §3, RFC 6415), in XML and in JSON.
///
/// It is fetched by HTTPS under the domain's own certificate, and only links to `wss` count (XEP-0156 §2): everything
/// that it says is as good as if the domain's server said it.
enum HostMeta {
    static let path = "/.well-known/host-meta"
    static let jsonPath = "/.well-known/host-meta.json"

    private static let relation = "urn:xmpp:alt-connections:websocket"
    private static let namespace = "http://docs.oasis-open.org/ns/xri/xrd-1.0"
    /// More links than any document has.
    private static let linkLimit = 256

    /// The WebSocket endpoints of an XRD document, none when it cannot be read.
    static func endpoints(xml bytes: [UInt8]) -> [Endpoint] {
        var parser = XMLStreamParser(limits: .beforeLogin)
        // A byte-order mark may stand before a document, though not before a stream.
        bytes[(bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0)...].withUnsafeBytes { parser.append($0) }
        var links: [Element] = []
        var hasRoot = false
        while links.count < linkLimit {
            guard let event = try? parser.next() else { return [] }
            switch event {
            case .open(let root):
                guard root.matches(XMLName("XRD", namespace)) else { return [] }
                hasRoot = true
            case .stanza(let element):
                if element.matches(XMLName("Link", namespace)) { links.append(element) }
            case .close: return endpoints(links.map { ($0["rel"], $0["href"]) })
            case .needsMoreBytes: return []
            }
        }
        return hasRoot ? endpoints(links.map { ($0["rel"], $0["href"]) }) : []
    }

    /// The WebSocket endpoints of a JRD document, none when it cannot be read.
    static func endpoints(json bytes: [UInt8]) -> [Endpoint] {
        struct Document: Decodable {
            struct Link: Decodable {
                var rel: String?
                var href: String?
            }
            var links: [Link]?
        }
        guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)) else { return [] }
        return endpoints((document.links ?? []).prefix(linkLimit).map { ($0.rel, $0.href) })
    }

    private static func endpoints(_ links: [(relation: String?, href: String?)]) -> [Endpoint] {
        var found: [Endpoint] = []
        for link in links where link.relation == relation {
            guard let endpoint = link.href.flatMap({ Endpoint(webSocketURL: $0) }), !found.contains(endpoint) else {
                continue
            }
            found.append(endpoint)
        }
        return found
    }
}
