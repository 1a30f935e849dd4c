// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Formatted bodies as plain text (XEP-0071)")
struct MessageRichTextTests {
    func plain(_ content: String, type: String = "chat") throws -> String? {
        try receivedMessage(
            "<message type='\(type)'><html xmlns='http://jabber.org/protocol/xhtml-im'><body xmlns='http://www.w3.org/1999/xhtml'>\(content)</body></html></message>"
        ).plainTextOfRichBody
    }

    @Test("paragraphs are lines, links their text, pictures their description")
    func text() throws {
        #expect(
            try plain("<p>Hello\n   <strong>big</strong> <em>world</em></p><p>two<br/>three</p>")
                == "Hello big world\ntwo\nthree")
        #expect(try plain("<a href='javascript:alert(1)'>here</a><img alt=' a spot' src='cid:x'/>") == "here a spot")
        #expect(try plain("<ul><li>a</li><li>b</li></ul>") == "a\nb")
    }

    @Test("scripts and styles are no text, unknown elements are")
    func hostile() throws {
        #expect(try plain("<script>alert(1)</script><style>x</style>a<x xmlns='urn:x'>b</x>") == "ab")
        #expect(try plain("<script/>") == nil && plain("") == nil)
        #expect(try plain("text", type: "error") == nil)
        #expect(try receivedMessage("<message/>").plainTextOfRichBody == nil)
    }
}
