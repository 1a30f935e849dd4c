// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Registration with an invitation and with pictures (XEP-0445, XEP-0158)", .timeLimit(.minutes(1)))
struct InvitedRegistrationTests {
    static let features = "<register xmlns='urn:xmpp:ibr-token:0'/>"

    @Test("the invitation is shown before the form is asked for, and then the account is made")
    func invited() async throws {
        let scripted = try await ScriptedRegistration(features: Self.features)
        async let presenting: Void = scripted.registration.present(token: "TOKEN")
        let set = await scripted.peer.expect("iq")
        #expect(set?["type"] == "set" && set?["to"] == "example.org")
        #expect(set?.children.first?.xml == "<preauth xmlns='urn:xmpp:pars:0' token='TOKEN'/>")
        scripted.peer.inject("<iq type='result' from='example.org' id='\(set?["id"] ?? "")'/>")
        try await presenting
        async let outcome = scripted.attempt()
        await scripted.giveForm()
        await scripted.accept()
        #expect(await outcome == nil)
    }

    @Test("an invitation that is not taken is no end: an account may be had without")
    func refused() async throws {
        let scripted = try await ScriptedRegistration(features: Self.features)
        async let presenting = failureCode { try await scripted.registration.present(token: "old") }
        await scripted.refuse("item-not-found", code: 404, type: "cancel", text: "The token is invalid or expired")
        #expect(await presenting == .invitationInvalid)
        async let outcome = scripted.attempt()
        await scripted.giveForm()
        await scripted.accept()
        #expect(await outcome == nil)
    }

    @Test("a server that takes no invitations is shown none")
    func unsupported() async throws {
        let scripted = try await ScriptedRegistration()
        #expect(await failureCode { try await scripted.registration.present(token: "x") } == .notSupported)
        await scripted.peer.expectNothing()
        await scripted.registration.close()
    }

    /// A form whose picture is the one that the tests have.
    static func form(_ cid: String, _ data: String) -> String {
        RegistrationFormTests.captcha.replacing("cid:sha1+f240@bob.xmpp.org", with: "cid:\(cid)").replacing(
            "MORE", with: "")
            + data
    }

    static var cid: String { "sha1+\(PictureHash(of: SamplePictures.pixel))@bob.xmpp.org" }

    static func data(_ cid: String, _ text: String = SamplePictures.pixelText) -> String {
        "<data xmlns='urn:xmpp:bob' cid='\(cid)' type='image/png' max-age='0'>\(text)</data>"
    }

    @Test("B52 a picture that comes with the form can be asked about")
    func inForm() async throws {
        let scripted = try await ScriptedRegistration()
        async let asking = scripted.registration.form()
        await scripted.giveForm(Self.form(Self.cid, Self.data(Self.cid)))
        let form = try await asking
        #expect(form.unsupportedFields.isEmpty)
        let field = try #require(form.fields.first)
        #expect(form.picture(for: field)?.bytes == SamplePictures.pixel)
        #expect(try await scripted.registration.picture(for: field)?.bytes == SamplePictures.pixel)
        async let outcome = scripted.attempt(extra: ["ocr": "cat"])
        let set = await scripted.accept()
        #expect(await outcome == nil)
        #expect(set?.children.first?.children.map(\.localName) == ["x"])
    }

    @Test("T144 a picture under another name than its own, and one that is none, are not shown")
    func lies() async throws {
        let scripted = try await ScriptedRegistration()
        async let asking = scripted.registration.form()
        let wrong = "sha1+\(PictureHash(of: [1]))@bob.xmpp.org"
        await scripted.giveForm(Self.form(wrong, Self.data(wrong)))
        let form = try await asking
        #expect(form.unsupportedFields == ["Enter the text you see"])
        let field = try #require(form.fields.first)
        #expect(form.picture(for: field) == nil)
        async let fetching = scripted.registration.picture(for: field)
        let get = await scripted.peer.expect("iq")
        #expect(get?.children.first?["cid"] == wrong)
        scripted.peer.inject("<iq type='result' from='example.org' id='\(get?["id"] ?? "")'>\(Self.data(wrong))</iq>")
        #expect(try await fetching == nil)
        await scripted.registration.close()
    }

    @Test("a picture that did not come along is asked for")
    func fetched() async throws {
        let scripted = try await ScriptedRegistration()
        async let asking = scripted.registration.form()
        await scripted.giveForm(Self.form(Self.cid, ""))
        let field = try #require(try await asking.fields.first)
        async let fetching = scripted.registration.picture(for: field)
        let get = await scripted.peer.expect("iq")
        #expect(get?["to"] == "example.org" && get?.children.first?["cid"] == Self.cid)
        scripted.peer.inject(
            "<iq type='result' from='example.org' id='\(get?["id"] ?? "")'>\(Self.data(Self.cid))</iq>")
        #expect(try await fetching?.bytes == SamplePictures.pixel)
        await scripted.registration.close()
    }

    @Test("a server that sends people elsewhere by an error says where")
    func redirected() async throws {
        let scripted = try await ScriptedRegistration()
        async let outcome = scripted.attempt()
        await scripted.giveForm()
        let set = await scripted.peer.expect("iq")
        scripted.peer.inject(
            """
            <iq type='error' from='example.org' id='\(set?["id"] ?? "")'><error type='modify'>\
            <redirect xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>https://example.org/join?p=R0m30</redirect></error></iq>
            """)
        let error = await outcome
        #expect(error?.code == .registrationElsewhere)
        #expect(error?.description.contains("https://example.org/join") == true)
        #expect(!String(reflecting: error).contains("R0m30"))
        await scripted.registration.close()
    }
}
