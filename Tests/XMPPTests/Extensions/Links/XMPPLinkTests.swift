// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("Links (RFC 5122, XEP-0147)")
struct XMPPLinkTests {
    func link(_ text: String) throws -> XMPPLink { try #require(XMPPLink(text)) }

    /// Reads the link, and checks that what is written of it is read alike.
    func kept(_ text: String) throws -> XMPPLink {
        let link = try link(text)
        #expect(XMPPLink(link.description) == link)
        #expect(link.description.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
        return link
    }

    @Test("the examples of the specifications are read")
    func examples() throws {
        let romeo = try JID("romeo@montague.net")
        func action(_ query: String) throws -> XMPPLink.Action? {
            let link = try kept("xmpp:romeo@montague.net" + query)
            #expect(link.jid == romeo && link.account == nil)
            return link.action
        }
        #expect(try action("") == nil)
        #expect(try action("?message") == .message(.init()))
        #expect(
            try action("?message;subject=Test%20Message;body=Here%27s%20a%20test%20message")
                == .message(.init(subject: "Test Message", body: "Here's a test message")))
        #expect(try action("?roster") == .addContact(.init()))
        #expect(
            try action("?roster;name=Romeo%20Montague;group=Friends")
                == .addContact(.init(name: "Romeo Montague", groups: ["Friends"])))
        #expect(try action("?remove") == .removeContact)
        #expect(try action("?subscribe") == .subscribe)
        #expect(try action("?unsubscribe") == .unsubscribe)
        #expect(
            try action("?roster;preauth=1tMFqYDdKhfe2pwp;name=Romeo+Montague")
                == .addContact(.init(name: "Romeo Montague", token: "1tMFqYDdKhfe2pwp")))
        #expect(
            try action("?roster;preauth=TOKEN;ibr=y")
                == .addContact(.init(token: "TOKEN", permitsRegistration: true)))
        #expect(try action("?register;preauth=TOKEN") == .register(token: "TOKEN"))
        #expect(try kept("xmpp:example.com?register;preauth=TOKEN").jid?.local == nil)
        #expect(try action("?unregister") == .unregister)
        #expect(try action("?join;password=cauldronburn") == .join(password: "cauldronburn"))
        #expect(try action("?disco;node=n") == .discover(node: "n"))
        #expect(try action("?command;node=stats;action=next") == .command(node: "stats", action: "next"))
        #expect(try action("?vcard") == .card)
        #expect(
            try action("?pubsub;action=subscribe;node=princely_musings")
                == .other(
                    name: "pubsub",
                    parameters: [.init("action", "subscribe"), .init("node", "princely_musings")]))
    }

    @Test("account, resource and escaped characters are told apart before they are decoded")
    func parts() throws {
        let full = try kept("xmpp://guest@example.com/support@example.com/a%2Fb%3F?message;from=x#part")
        #expect(try full.account == JID("guest@example.com"))
        #expect(try full.jid == JID("support@example.com/a/b?"))
        #expect(full.action == .message(.init(parameters: [.init("from", "x")])))
        let account = try kept("XMPP://guest@example.com")
        #expect(account.jid == nil && account.account?.local == "guest")
        let nasty = "nasty!%23$%25()*+,-.;=%3F%5B%5C%5D%5E_%60%7B%7C%7D~node@example.com"
        #expect(try kept("xmpp:\(nasty)").jid?.local == "nasty!#$%()*+,-.;=?[\\]^_`{|}~node")
        #expect(try kept("xmpp:ji%C5%99i@%C4%8Dechy.example/v%20Praze").jid == JID("jiři@čechy.example/v Praze"))
        #expect(try kept("xmpp:jiři@čechy.example").jid == JID("jiři@čechy.example"))
        #expect(try kept("xmpp:[::1]").jid?.domain == "[::1]")
    }

    @Test("names with a plus sign survive being written")
    func plus() throws {
        let link = XMPPLink(try JID("a@example.org"), .addContact(.init(name: "A + B;&=?#%", groups: ["x;y", "z"])))
        #expect(XMPPLink(link.description) == link)
    }

    @Test(
        "what is no link, or a broken one, is refused",
        arguments: [
            "", "xmpp:", "http://example.org", "xmpp:?message", "xmpp:@example.org", "xmpp:a@", "xmpp:a b@example.org",
            "xmpp:a%zz@example.org", "xmpp:a@example.org?message;body=%", "xmpp:a@example.org?message;body=%C3",
            "xmpp:a@example.org?;x=y", "xmpp://?roster",
        ])
    func refused(_ text: String) {
        #expect(XMPPLink(text) == nil)
    }

    @Test("T158 a link is a value that does nothing, and all but a draft has to be confirmed")
    func harmless() throws {
        for query in ["", "?message", "?message;body=I%20owe%20you%20100"] {
            #expect(try link("xmpp:bo@example.org\(query)").isHarmless)
        }
        for query in [
            "remove", "roster", "roster;preauth=x", "subscribe", "unsubscribe", "register", "unregister", "join",
            "command;node=x;action=execute", "pubsub;action=subscribe", "disco", "vcard", "unknown",
        ] {
            #expect(try !link("xmpp:bo@example.org?\(query)").isHarmless)
        }
    }

    @Test("T158 control characters and links without end are refused, line ends in a text are not")
    func bounded() throws {
        #expect(XMPPLink("xmpp:a@example.org?message;body=%00") == nil)
        #expect(XMPPLink("xmpp:a@example.org?message;body=%1B%5B2J") == nil)
        #expect(XMPPLink("xmpp:a@example.org?roster;name=%C2%85") == nil)
        #expect(
            try link("xmpp:a@example.org?message;body=a%0Ab").action == .message(.init(body: "a\nb")))
        #expect(XMPPLink("xmpp:a@example.org?message;body=" + String(repeating: "x", count: 9000)) == nil)
        #expect(XMPPLink("xmpp:a@example.org?x" + String(repeating: ";a=b", count: 100)) == nil)
    }

    @Test("a link that is cut or damaged anywhere is refused, or survives being written")
    func damaged() throws {
        let whole = Array("xmpp://guest@example.com/support@example.com/a%2Fb?message;subject=x%20y;body=z#p".utf8)
        var read = 0
        for place in whole.indices {
            for change in [UInt8(ascii: "%"), UInt8(ascii: ";"), UInt8(ascii: "@"), UInt8(ascii: "/"), 0x20] {
                var bytes = whole
                bytes[place] = change
                guard let link = XMPPLink(String(decoding: bytes, as: UTF8.self)) else { continue }
                read += 1
                #expect(XMPPLink(link.description) == link)
            }
            if let link = XMPPLink(String(decoding: whole[..<place], as: UTF8.self)) {
                #expect(XMPPLink(link.description) == link)
            }
        }
        #expect(read > 50)
    }
}
