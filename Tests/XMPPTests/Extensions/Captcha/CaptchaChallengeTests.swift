// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Challenges for people (XEP-0158)", .timeLimit(.minutes(1)))
struct CaptchaChallengeTests {
    func sent(_ recipient: JID, _ id: String?) -> Bool {
        recipient.description == "innocent@victim.com" && id == "spam1"
    }

    func message(_ change: (String) -> String = { $0 }) throws -> Message {
        try receivedMessage(change(try Fixture.named("xep-0158/challenge.xml").xml))
    }

    @Test("one that follows a stanza of ours is read")
    func example() throws {
        let challenge = try #require(try message().captchaChallenge(isSent: sent))
        #expect(challenge.id == "F3A6292C" && challenge.stanzaID == "spam1" && challenge.answers == 1)
        #expect(challenge.recipient.description == "innocent@victim.com" && challenge.from.description == "victim.com")
        #expect(challenge.page == "http://www.victim.com/challenge.html?F3A6292C")
        #expect(challenge.questions.map(\.name) == ["ocr", "picture_recog", "speech_recog", "video_recog", "qa"])
        #expect(challenge.questions.first?.media.count == 2)
    }

    @Test("one about a stanza that was not sent, or from somebody else, is left alone")
    func foreign() throws {
        #expect(try message().captchaChallenge { _, _ in false } == nil)
        #expect(try message { $0.replacing("spam1", with: "spam2") }.captchaChallenge(isSent: sent) == nil)
        for from in ["mal@example.net", "victim.com.example.net", "other@victim.com", "victim.com/x"] {
            let forged = try message { $0.replacing("from='victim.com'", with: "from='\(from)'") }
            #expect(forged.captchaChallenge(isSent: sent) == nil)
        }
        let own = try message { $0.replacing("from='victim.com'", with: "from='innocent@victim.com/desk'") }
        #expect(own.captchaChallenge(isSent: sent) != nil)
        #expect(try message { $0.replacing("id='F3A6292C'", with: "id='other'") }.captchaChallenge(isSent: sent) == nil)
    }

    @Test("the answer has the hidden fields as they came, and what was answered")
    func answered() async throws {
        let online = try await OnlineSession()
        let challenge = try #require(try message().captchaChallenge(isSent: sent))
        #expect(await failureCode { try await online.session.answer(challenge, with: [:]) } == .invalidArgument)
        async let answering: Void = online.session.answer(challenge, with: ["ocr": "7nHL3", "qa": "", "bogus": "x"])
        let set = await online.answer()
        #expect(set?["to"] == "victim.com")
        let form = try #require(set?.children.first?.children.first.flatMap { DataForm($0) })
        #expect(form.kind == .submit && form.fields.map(\.name) == ["FORM_TYPE", "from", "challenge", "sid", "ocr"])
        #expect(form["ocr"]?.values == ["7nHL3"])
        try await answering
        try await online.session.decline(challenge)
        let refusal = await online.peer.expect("message")
        #expect(refusal?["type"] == "error" && refusal?["id"] == "F3A6292C" && refusal?["to"] == "victim.com")
        await online.end()
    }

    @Test("several answers are demanded before anything is sent")
    func several() async throws {
        let online = try await OnlineSession()
        let two = "<field type='hidden' var='answers'><value>2</value></field><field var='ocr'"
        let challenge = try #require(
            try message { $0.replacing("<field var='ocr'", with: two) }.captchaChallenge(isSent: sent))
        #expect(challenge.answers == 2)
        #expect(
            await failureCode { try await online.session.answer(challenge, with: ["ocr": "x"]) } == .invalidArgument)
        await online.settle()
        await online.end()
    }
}
