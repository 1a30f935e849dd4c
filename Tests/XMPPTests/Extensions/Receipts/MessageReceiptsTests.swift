// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Receipts (XEP-0184)")
struct MessageReceiptsTests {
    static let request = "<request xmlns='urn:xmpp:receipts'/>"

    @Test("are written and read")
    func roundTrips() throws {
        try roundTrip(Receipt(id: "r51"))
        try roundTrip(ReceiptRequest())
        #expect(Receipt(try received("<received xmlns='urn:xmpp:receipts'/>")) == nil)
    }

    @Test("B110 a receipt has an id of its own, the type of the message, and asks for none itself")
    func receipt() throws {
        let message = try receivedMessage(
            "<message from='bo@example.org/p' to='ann@example.org' id='r51' type='chat'><body>hi</body>\(Self.request)</message>"
        )
        let receipt = try #require(Message.receipt(for: message))
        #expect(receipt.receiptID == "r51")
        #expect(receipt.id?.isEmpty == false && receipt.id != "r51")
        #expect(receipt.kind == .chat)
        #expect(receipt.to?.description == "bo@example.org/p")
        #expect(!receipt.requestsReceipt)
        let untyped = try receivedMessage("<message from='bo@example.org/p' id='r52'>\(Self.request)</message>")
        #expect(Message.receipt(for: untyped)?.kind == .normal)
    }

    @Test(
        "no receipt is due for a message that does not ask, has no id or sender, bounced, or is of a room",
        arguments: [
            "<message from='bo@example.org/p' id='m' type='chat'><body>hi</body></message>",
            "<message from='bo@example.org/p' type='chat'>\(request)</message>",
            "<message from='bo@example.org/p' id='' type='chat'>\(request)</message>",
            "<message id='m' type='chat'>\(request)</message>",
            "<message from='bo@example.org/p' id='m' type='error'>\(request)</message>",
            "<message from='room@example.org/bo' id='m' type='groupchat'>\(request)</message>",
            "<message from='bo@example.org/p' id='m'>\(request)<received xmlns='urn:xmpp:receipts' id='x'/></message>",
        ])
    func noneDue(_ xml: String) throws {
        #expect(Message.receipt(for: try receivedMessage(xml)) == nil)
    }

    @Test("B110 a receipt without type is read as well")
    func anyType() throws {
        for type in ["", "type='chat'", "type='headline'"] {
            let message = try receivedMessage(
                "<message from='bo@example.org/p' \(type)><received xmlns='urn:xmpp:receipts' id='r51'/></message>")
            #expect(message.isReceipt(for: "r51", sentTo: try JID("bo@example.org")))
        }
    }

    @Test("T078 a receipt counts only from the account that the message went to")
    func forged() throws {
        let bo = try JID("bo@example.org/desk")
        func receipt(_ from: String, _ type: String = "chat", id: String = "m1") throws -> Message {
            try receivedMessage(
                "<message \(from) type='\(type)'><received xmlns='urn:xmpp:receipts' id='\(id)'/></message>")
        }
        #expect(try receipt("from='bo@example.org/phone'").isReceipt(for: "m1", sentTo: bo))
        #expect(try receipt("from='bo@example.org'").isReceipt(for: "m1", sentTo: bo))
        #expect(try !receipt("from='mallory@example.net/x'").isReceipt(for: "m1", sentTo: bo))
        #expect(try !receipt("from='ann@example.org/tablet'").isReceipt(for: "m1", sentTo: bo))
        #expect(try !receipt("from='example.org'").isReceipt(for: "m1", sentTo: bo))
        #expect(try !receipt("").isReceipt(for: "m1", sentTo: bo))
        #expect(try !receipt("from='bo@example.org/p'", id: "m2").isReceipt(for: "m1", sentTo: bo))
        #expect(try !receipt("from='bo@example.org/p'", "error").isReceipt(for: "m1", sentTo: bo))
    }

    @Test("B111 a receipt that another resource got counts through its copy")
    func carbonCopied() throws {
        let wrap = try receivedMessage(
            """
            <message from='ann@example.org' to='ann@example.org/phone'><received xmlns='urn:xmpp:carbons:2'>
            <forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client' from='bo@example.org/p' \
            to='ann@example.org/pc'><received xmlns='urn:xmpp:receipts' id='m1'/></message></forwarded></received></message>
            """)
        let inner = try #require(wrap.carbon(for: try JID("ann@example.org"))).message
        #expect(inner.isReceipt(for: "m1", sentTo: try JID("bo@example.org")))
    }
}

@Suite("The receipts module", .timeLimit(.minutes(1)))
struct ReceiptsModuleTests {
    @Test("answers by itself only where it is told to")
    func optIn() async throws {
        #expect(ReceiptsModule().messageHandler == nil)
        let online = try await OnlineSession { $0.modules.append(ReceiptsModule(answersByItself: true)) }
        online.peer.inject(
            "<message from='bo@example.org/p' id='m1' type='chat'><body>hi</body>\(MessageReceiptsTests.request)</message>"
        )
        let receipt = await online.peer.expect("message")
        #expect(receipt?["to"] == "bo@example.org/p")
        #expect(receipt?.child(XMLName("received", "urn:xmpp:receipts"))?["id"] == "m1")
        await online.end()
    }

    @Test("sends nothing by itself otherwise")
    func quiet() async throws {
        let online = try await OnlineSession { $0.modules.append(ReceiptsModule()) }
        online.peer.inject(
            "<message from='bo@example.org/p' id='m1' type='chat'><body>hi</body>\(MessageReceiptsTests.request)</message>"
        )
        await online.settle()
        #expect(!online.peer.writtenText.contains("<received"))
        await online.end()
    }
}
