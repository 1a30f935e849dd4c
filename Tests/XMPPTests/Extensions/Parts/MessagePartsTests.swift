// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Everything in a message in one pass")
struct MessagePartsTests {
    static let everything = """
        <body>x</body><subject>s</subject><thread parent='p'>t</thread>
        <stanza-id xmlns='urn:xmpp:sid:0' id='s1' by='ann@example.org'/><origin-id xmlns='urn:xmpp:sid:0' id='o1'/>
        <request xmlns='urn:xmpp:receipts'/><received xmlns='urn:xmpp:receipts' id='r1'/>
        <markable xmlns='urn:xmpp:chat-markers:0'/><displayed xmlns='urn:xmpp:chat-markers:0' id='d1'/>
        <composing xmlns='http://jabber.org/protocol/chatstates'/>
        <replace xmlns='urn:xmpp:message-correct:0' id='c1'/><retract xmlns='urn:xmpp:message-retract:1' id='t1'/>
        <retracted xmlns='urn:xmpp:message-retract:1' id='t2'/>
        <reactions xmlns='urn:xmpp:reactions:0' id='e1'><reaction>👋</reaction></reactions>
        <reply xmlns='urn:xmpp:reply:0' id='y1'/><fallback xmlns='urn:xmpp:fallback:0' for='n'/>
        <reference xmlns='urn:xmpp:reference:0' type='mention' uri='xmpp:bo@example.org'/>
        <x xmlns='jabber:x:oob'><url>https://example.org/</url></x>
        <file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'><name>a</name></file></file-sharing>
        <store xmlns='urn:xmpp:hints'/><no-copy xmlns='urn:xmpp:hints'/>
        <encryption xmlns='urn:xmpp:eme:0' namespace='urn:xmpp:omemo:2'/><unstyled xmlns='urn:xmpp:styling:0'/>
        <x xmlns='http://jabber.org/protocol/muc#user'/><occupant-id xmlns='urn:xmpp:occupant-id:0' id='u1'/>
        <odd xmlns='urn:example:odd'/>
        """

    @Test("finds what each single question finds")
    func agrees() throws {
        let message = try receivedMessage("<message from='bo@example.org/p' type='chat'>\(Self.everything)</message>")
        let parts = message.parts
        #expect(parts.stanzaIDs == message.stanzaIDs && parts.stanzaIDs.count == 1)
        #expect(parts.originID == message.originID && parts.originID == "o1")
        #expect(parts.requestsReceipt && parts.receiptID == message.receiptID && parts.receiptID == "r1")
        #expect(parts.isMarkable && parts.displayedID == message.displayedID && parts.displayedID == "d1")
        #expect(parts.chatState == message.chatState && parts.chatState == .composing)
        #expect(parts.correctedID == message.correctedID && parts.correctedID == "c1")
        #expect(parts.retractedID == message.retractedID && parts.retractedID == "t1")
        #expect(parts.tombstone == message.tombstone && parts.tombstone?.retractionID == "t2")
        #expect(parts.reactions == message.reactions && parts.reactions?.emojis == ["👋"])
        #expect(parts.reply == message.reply && parts.reply?.id == "y1")
        #expect(parts.fallbacks == message.fallbacks && parts.fallbacks.count == 1)
        #expect(parts.references == message.references && parts.references.count == 1)
        #expect(parts.links == message.links && parts.links.count == 1)
        #expect(parts.sharedFiles == message.sharedFiles && parts.sharedFiles.count == 1)
        #expect(parts.hints == message.hints && parts.hints == [.store, .noCopy])
        #expect(parts.encryption == message.encryption && parts.encryption?.knownName == "OMEMO")
        #expect(parts.thread == message.conversationThread && parts.thread?.parent == "p")
        #expect(parts.isUnstyled && parts.isOfRoom && !parts.isCarbon && parts.occupantID == "u1")
        #expect(parts.unknown == [XMLName("odd", "urn:example:odd")])
    }

    @Test("B102 B108 the precise stamp counts, and a state that was held back is none")
    func delays() throws {
        let old = "<x xmlns='jabber:x:delay' stamp='20310304T05:06:07'/>"
        let new = "<delay xmlns='urn:xmpp:delay' stamp='2031-03-04T05:06:07.25Z'/>"
        for content in [old + new, new + old] {
            let message = try receivedMessage(
                "<message>\(content)<active xmlns='http://jabber.org/protocol/chatstates'/></message>")
            #expect(message.parts.delays.map(\.stamp.description) == ["2031-03-04T05:06:07.25Z"])
            #expect(message.parts.delays == message.delays && message.parts.chatState == nil)
        }
        #expect(try receivedMessage("<message>\(old)</message>").parts.delays.count == 1)
    }

    @Test("B100 an error has no parts")
    func error() throws {
        let message = try receivedMessage("<message type='error'>\(Self.everything)</message>")
        #expect(message.parts.originID == nil && message.parts.unknown.isEmpty && !message.parts.requestsReceipt)
    }

    @Test("the older form of shared files counts when there is no other, and copies are seen")
    func others() throws {
        let message = try receivedMessage(
            """
            <message><reference xmlns='urn:xmpp:reference:0' type='data'><media-sharing xmlns='urn:xmpp:sims:1'>\
            <file xmlns='urn:xmpp:jingle:apps:file-transfer:5'><name>old.jpg</name></file></media-sharing></reference>\
            <received xmlns='urn:xmpp:carbons:2'/></message>
            """)
        #expect(message.parts.sharedFiles.map(\.metadata.name) == ["old.jpg"] && message.parts.isCarbon)
        var built = Message.chat(to: nil, "x")
        built.originID = "o"
        #expect(built.parts.originID == "o")
    }
}
