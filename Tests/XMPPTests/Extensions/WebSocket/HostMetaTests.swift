// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
@testable import XMPP

@Suite("A domain's host-meta")
struct HostMetaTests {
    private let expected = [Endpoint(host: "web.example.com", port: 443, webSocketPath: "/ws")]

    private func xml(_ links: String) -> [UInt8] {
        Array(
            "<?xml version='1.0' encoding='utf-8'?>\n<XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'>\(links)</XRD>\n"
                .utf8)
    }

    private func link(_ href: String, _ relation: String = "websocket") -> String {
        "<Link rel=\"urn:xmpp:alt-connections:\(relation)\" href=\"\(href)\"/>"
    }

    @Test("the examples of XEP-0156, in XML and in JSON")
    func examples() {
        let text =
            "<?xml version='1.0' encoding=\"utf-8\"?>\n<XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'>\n  ...\n"
            + "  <Link rel=\"urn:xmpp:alt-connections:xbosh\"\n        href=\"https://web.example.com:5280/bosh\" />\n"
            + "  <Link rel=\"urn:xmpp:alt-connections:websocket\"\n        href=\"wss://web.example.com:443/ws\" />\n</XRD>"
        #expect(HostMeta.endpoints(xml: Array(text.replacing("...", with: "").utf8)) == expected)
        #expect(HostMeta.endpoints(xml: [0xef, 0xbb, 0xbf] + Array(text.replacing("...", with: "").utf8)) == expected)
        let json =
            "{ \"links\": [ { \"rel\": \"urn:xmpp:alt-connections:xbosh\", \"href\": \"https://web.example.com:5280/bosh\" },"
            + " { \"rel\": \"urn:xmpp:alt-connections:websocket\", \"href\": \"wss://web.example.com:443/ws\" } ] }"
        #expect(HostMeta.endpoints(json: Array(json.utf8)) == expected)
    }

    @Test("T002 links without TLS are not taken, and neither are other relations")
    func insecure() {
        let links = [
            link("ws://evil.net/ws"), link("http://evil.net/ws"), link("https://evil.net/bosh"), link("not a url"),
            link("wss://evil.net/bosh", "xbosh"), link("wss://web.example.com/ws"),
            link("wss://web.example.com:443/ws"),
            "<Link href='wss://evil.net/'/>", "<Link rel='urn:xmpp:alt-connections:websocket'/>",
            "<Link xmlns='other' rel='urn:xmpp:alt-connections:websocket' href='wss://evil.net/'/>",
        ]
        #expect(HostMeta.endpoints(xml: xml(links.joined())) == expected)
        let json =
            "{\"links\":[{\"rel\":\"urn:xmpp:alt-connections:websocket\",\"href\":\"ws://evil.net/ws\"},{\"href\":\"wss://x/\"},{}]}"
        #expect(HostMeta.endpoints(json: Array(json.utf8)).isEmpty)
    }

    @Test(
        "what cannot be read names nothing",
        arguments: [
            "", "<XRD/>", "<html><body/></html>", "{", "[]", "null", "{\"links\":{}}", "{\"links\":[1]}",
            "<!DOCTYPE XRD [<!ENTITY a 'wss://evil.net/'>]><XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'/>",
            "<XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'><Link rel='urn:xmpp:alt-connections:websocket' "
                + "href='wss://web.example.com/ws'/>",
        ])
    func unreadable(text: String) {
        #expect(HostMeta.endpoints(xml: Array(text.utf8)).isEmpty)
        #expect(HostMeta.endpoints(json: Array(text.utf8)).isEmpty)
    }
}
