// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Small parts of messages")
struct MessageHintsTests {
    @Test("hints are written, read and taken out (XEP-0334)")
    func hints() throws {
        var message = Message.chat(to: nil, "x")
        message.hints = [.noStore, .noCopy, .noPermanentStore]
        let read = try receivedMessage(try written(message))
        #expect(read.hints == [.noStore, .noCopy, .noPermanentStore] && read.isPrivate)
        message.hints = []
        #expect(message.hints.isEmpty && message.payloads.count == 1)
    }

    @Test("a body may say what the sender does (XEP-0245)")
    func action() {
        #expect(Message.chat(to: nil, "/me waves").action == "waves")
        for text in ["/me", "/meow", " /me x", "/ME x", "x /me y"] {
            #expect(Message.chat(to: nil, text).action == nil)
        }
    }

    @Test("a thread has a parent (XEP-0201)")
    func thread() throws {
        try roundTrip(MessageThread(id: "t", parent: "p"))
        var message = Message.chat(to: nil, "x")
        message.conversationThread = MessageThread(id: "t", parent: "p")
        #expect(message.thread == "t" && message.conversationThread?.parent == "p")
        #expect(try receivedMessage("<message><thread> </thread></message>").conversationThread == nil)
    }

    @Test("addresses outside of XMPP are told from files (XEP-0066)")
    func links() throws {
        try roundTrip(OutOfBandLink(url: "https://example.org/?a&b", explanation: "A page"))
        #expect(OutOfBandLink(try received("<x xmlns='jabber:x:oob'><url> </url></x>")) == nil)
        var message = Message.chat(to: nil, " https://example.org/a ")
        #expect(message.attachmentURL == nil)
        message.links = [OutOfBandLink(url: "https://example.org/b"), OutOfBandLink(url: "https://example.org/a")]
        #expect(message.attachmentURL == "https://example.org/a" && message.links.count == 2)
        message.body = "look: https://example.org/a"
        #expect(message.attachmentURL == nil)
    }

    @Test("an encrypted message says how (XEP-0380)")
    func encryption() throws {
        try roundTrip(EncryptionHint(namespace: "urn:example:odd", name: "Odd"))
        #expect(EncryptionHint(try received("<encryption xmlns='urn:xmpp:eme:0'/>")) == nil)
        #expect(EncryptionHint(namespace: "jabber:x:encrypted").knownName == "Legacy OpenPGP")
        #expect(EncryptionHint(namespace: "urn:example:odd").knownName == nil)
        var message = Message.chat(to: nil, "x")
        message.encryption = EncryptionHint(namespace: "urn:xmpp:omemo:2")
        #expect(message.encryption?.knownName == "OMEMO")
    }

    @Test("T122 a delay counts from one's own server or account, or a room that one has joined")
    func trustedDelay() throws {
        let own = try JID("ann@example.org/pc")
        func stamp(_ by: String, from: String = "bo@example.org/p", type: String = "chat", joined: Bool = true) throws
            -> Bool
        {
            let message = try receivedMessage(
                "<message from='\(from)' type='\(type)'><delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07Z' \(by)/></message>"
            )
            return message.trustedDelay(for: own, isJoined: { _ in joined }) != nil
        }
        #expect(try stamp("from='example.org'") && stamp("from='ann@example.org'"))
        #expect(try !stamp("") && !stamp("from='bo@example.org'") && !stamp("from='example.net'"))
        #expect(try !stamp("from='example.org/x'"))
        let room = "tearoom@rooms.example.org"
        #expect(try stamp("from='\(room)'", from: room + "/eli", type: "groupchat"))
        #expect(try !stamp("from='\(room)'", from: room + "/eli", type: "groupchat", joined: false))
        #expect(try !stamp("from='example.org'", from: room + "/eli", type: "groupchat"))
    }

    @Test("B98 the body without a language counts, then the best match, then the first")
    func languages() throws {
        let both = try receivedMessage("<message><body xml:lang='fr'>bonjour</body><body>hello</body></message>")
        #expect(both.body == "hello" && both.body(in: "fr") == "bonjour")
        let foreign = try receivedMessage(
            "<message><body xml:lang='fr'>bonjour</body><body xml:lang='de'>hallo</body></message>")
        #expect(foreign.body == "bonjour" && foreign.body(in: "de") == "hallo" && foreign.body(in: "nl") == "bonjour")
    }
}
