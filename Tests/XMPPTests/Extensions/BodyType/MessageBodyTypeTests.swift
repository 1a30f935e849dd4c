// SPDX-License-Identifier: Apache-2.0
import Testing
@testable import XMPP
import XMPPTesting

@Suite("Pictures as tutorial programs send them")
struct MessageBodyTypeTests {
    @Test("the attribute is written and read, and stays with later changes")
    func attribute() throws {
        var message = Message.tutorialPicture("http://192.0.2.2:8080/Image/a&b.jpg", to: try JID("bo@example.org"))
        message.append(Element(XMLName("x", "urn:example:x")))
        message.id = "m"
        let xml = try written(message)
        #expect(xml.hasPrefix("<message to=\"bo@example.org\" id=\"m\" type=\"chat\" bodyType=\"image\"><body>"))
        let back = try receivedMessage(xml)
        #expect(back.bodyType == .picture && back.tutorialPictureURL == "http://192.0.2.2:8080/Image/a&b.jpg")
        #expect(back.attachmentURL == back.tutorialPictureURL)
        message.bodyType = nil
        #expect(try !written(message).contains("bodyType"))
        #expect(try written(Message.chat(to: nil, "a")).contains("bodyType") == false)
    }

    @Test("a value is escaped")
    func escaped() throws {
        var message = Message.chat(to: nil, "a")
        message.bodyType = BodyType(rawValue: "a\" to=\"<b>")
        #expect(try receivedMessage(try written(message)).bodyType?.rawValue == "a\" to=\"<b>")
    }

    @Test(
        "only an address of the Web with the attribute is a picture",
        arguments: [("text", "https://e.org/a.jpg"), ("image", "a picture"), ("image", "javascript:x"), ("image", "")])
    func others(_ type: String, _ body: String) throws {
        let message = try receivedMessage("<message type='chat' bodyType='\(type)'><body>\(body)</body></message>")
        #expect(message.tutorialPictureURL == nil)
        #expect(message.bodyType?.rawValue == type)
    }

    @Test("a message without the attribute has no type")
    func none() throws {
        #expect(try receivedMessage("<message type='chat'><body>x</body></message>").bodyType == nil)
    }
}
