// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Answers and fallback texts (XEP-0461, XEP-0428)")
struct ReplyTests {
    @Test("an answer names the message by the identifier that everybody knows")
    func identifiers() throws {
        let chat = try receivedMessage(
            "<message from='bo@example.org/p' id='m1' type='chat'><origin-id xmlns='urn:xmpp:sid:0' id='o1'/></message>"
        )
        #expect(chat.replyID == "o1")
        let room = try receivedMessage(
            "<message from='tearoom@rooms.example.org/eli' id='m1' type='groupchat'><stanza-id xmlns='urn:xmpp:sid:0' id='s1' by='tearoom@rooms.example.org'/></message>"
        )
        #expect(room.replyID == "s1")
        let nameless = try receivedMessage("<message from='tearoom@rooms.example.org/eli' id='m1' type='groupchat'/>")
        var answer = Message.chat(to: nil, "yes")
        let isSet = answer.setReply(to: nameless)
        #expect(!isSet && answer.reply == nil)
    }

    @Test("an answer has the text of the original in front, which others leave out")
    func quote() throws {
        let original = try receivedMessage(
            "<message from='anna@example.com/tablet' id='m1' type='chat'><body>We should\nbake a 🎂</body></message>")
        var answer = Message.chat(to: try JID("anna@example.com"), "Great idea!", id: "m2")
        answer.setReply(to: original)
        #expect(answer.body == "> We should\n> bake a 🎂\nGreat idea!")
        let read = try receivedMessage(try written(answer))
        #expect(read.reply == Reply(to: "m1", author: try JID("anna@example.com/tablet")))
        #expect(read.bodyWithoutFallback(for: ["urn:xmpp:reply:0"]) == "Great idea!")
        #expect(read.bodyWithoutFallback(for: ["urn:xmpp:sfs:0"]) == answer.body)
        // Answering the answer quotes only what it says itself.
        var second = Message.chat(to: nil, "Tomorrow?")
        second.setReply(to: read)
        #expect(second.body == "> Great idea!\nTomorrow?")
        var silent = Message.chat(to: nil, "ok")
        silent.setReply(to: read, quoting: false)
        #expect(silent.body == "ok" && silent.fallbacks.isEmpty)
    }

    @Test("parts are counted in code points, and what lies outside of the text is cut off")
    func ranges() throws {
        func without(_ parts: String, _ body: String = "a👨‍👩‍👧b") throws -> String? {
            try receivedMessage(
                "<message type='chat'><body>\(body)</body><fallback xmlns='urn:xmpp:fallback:0' for='n'>\(parts)</fallback></message>"
            ).bodyWithoutFallback(for: ["n"])
        }
        #expect(try without("<body start='1' end='6'/>") == "ab")
        #expect(try without("<body start='1' end='900'/>") == "a")
        #expect(try without("<body start='900' end='901'/>") == "a👨‍👩‍👧b")
        #expect(try without("<body/>") == "" && without("") == "")
        #expect(try without("<subject/>") == "a👨‍👩‍👧b")
        #expect(try without("<body start='0' end='1'/><body start='6' end='7'/>") == "👨‍👩‍👧")
    }

    @Test(
        "T085 numbers that are none, or turned round, mark nothing",
        arguments: [
            ("5", "1"), ("-1", "3"), ("0", "99999999999999999999"), ("x", "1"), ("1", ""), ("0", "4294967295"),
        ])
    func numbers(_ start: String, _ end: String) throws {
        let message = try receivedMessage(
            "<message type='chat'><body>hello</body><fallback xmlns='urn:xmpp:fallback:0' for='n'><body start='\(start)' end='\(end)'/></fallback></message>"
        )
        #expect(message.bodyWithoutFallback(for: ["n"]) == "hello")
    }

    @Test("T125 thousands of parts over a long text do not take for ever", .timeLimit(.minutes(1)))
    func manyParts() throws {
        let mark = "<fallback xmlns='urn:xmpp:fallback:0' for='n'><body start='0' end='200000'/></fallback>"
        let message = try receivedMessage(
            "<message><body>\(String(repeating: "x", count: 200_000))</body>\(String(repeating: mark, count: 5000))</message>"
        )
        #expect(message.bodyWithoutFallback(for: ["n"]) == "")
    }

    @Test("are written and read")
    func roundTrips() throws {
        try roundTrip(Reply(to: "m1", author: try JID("bo@example.org")))
        try roundTrip(Reply(to: "m1"))
        try roundTrip(Fallback(for: "n"))
        try roundTrip(Fallback(for: nil, body: [.init(0..<3), .init(5..<9)]))
        try roundTrip(Fallback(for: "n", body: [], subject: [.whole]))
        #expect(Reply(try received("<reply xmlns='urn:xmpp:reply:0'/>")) == nil)
        let message = Message.chat(to: nil, "x")
        #expect(!message.isOnlyFallback(for: ["n"]))
    }
}
