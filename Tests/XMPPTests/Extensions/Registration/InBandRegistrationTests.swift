// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

/// A registration that waits for its form, with a scripted server.
struct ScriptedRegistration {
    let peer = ScriptedPeer()
    let registration: InBandRegistration

    init(features: String = "<register xmlns='http://jabber.org/features/iq-register'/>") async throws {
        var configuration = SessionConfiguration(modules: [])
        configuration.connector = peer
        configuration.randomness = SeededRandomness()
        async let opening = InBandRegistration.open(domain: "example.org", configuration: configuration)
        await peer.acceptTLS()
        peer.openStream(id: "tls", ScriptedPeer.mechanisms("SCRAM-SHA-1") + features)
        registration = try await opening
    }

    static let openfireForm = """
        <username/><password/><email/><name/><x xmlns="jabber:x:data" type="form"><title>XMPP Client Registration</title>\
        <instructions>Please provide the following information</instructions><field var="FORM_TYPE" type="hidden">\
        <value>jabber:iq:register</value></field><field var="username" type="text-single" label="Username"><required/></field>\
        <field var="name" type="text-single" label="Full name"/><field var="email" type="text-single" label="Email"/>\
        <field var="password" type="text-private" label="Password"><required/></field></x>
        """

    /// Answers the request for the form.
    func giveForm(_ content: String = "<username/><password/>") async {
        let get = await peer.expect("iq")
        #expect(get?["type"] == "get" && get?["id"]?.isEmpty == false)
        #expect(get?.children.first?.xml == "<query xmlns='jabber:iq:register'/>")
        peer.inject(
            "<iq type=\"result\" id=\"\(get?["id"] ?? "")\" from=\"example.org\">"
                + "<query xmlns=\"jabber:iq:register\">\(content)</query></iq>")
    }

    /// Answers what is submitted with an error that repeats it.
    @discardableResult
    func refuse(_ condition: String, code: Int, type: String, text: String = "", echo: Bool = true) async -> Element? {
        let set = await peer.expect("iq")
        let payload = echo ? set?.children.first?.xml ?? "" : ""
        let text = text.isEmpty ? "" : "<text xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\">\(text)</text>"
        peer.inject(
            "<iq type=\"error\" id=\"\(set?["id"] ?? "")\" from=\"example.org\" to=\"example.org/0f6c2a1e\">\(payload)"
                + "<error code=\"\(code)\" type=\"\(type)\"><\(condition) xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\"/>"
                + "\(text)</error></iq>")
        return set
    }

    /// Confirms what is submitted.
    @discardableResult
    func accept() async -> Element? {
        let set = await peer.expect("iq")
        peer.inject("<iq type=\"result\" id=\"\(set?["id"] ?? "")\" from=\"example.org\" to=\"example.org/0f6c2a1e\"/>")
        return set
    }

    /// One attempt; gives the error it ended with.
    func attempt(_ username: String = "juliet", _ password: String = "R0m30", extra: [String: String] = [:]) async
        -> XMPPError?
    {
        do {
            _ = try await registration.register(username: username, password: password, extra: extra)
            return nil
        } catch { return error as? XMPPError }
    }
}

@Suite("In-band registration (XEP-0077)", .timeLimit(.minutes(1)))
struct InBandRegistrationTests {
    @Test("B54 the flow has a domain and no address: nothing of an account is written before the form")
    func noAddress() async throws {
        let scripted = try await ScriptedRegistration()
        async let outcome = scripted.attempt()
        await scripted.giveForm()
        await scripted.accept()
        #expect(await outcome == nil)
        let text = scripted.peer.writtenText
        #expect(!text.contains("from=") && !text.contains("<auth") && !text.contains("anonymous"))
    }

    @Test("OF15 OF16 a form beside fixed fields is answered by the form alone, with all of its fields")
    func openfire() async throws {
        let scripted = try await ScriptedRegistration()
        async let outcome = scripted.registration.register(username: "Juliet", password: "R0m30")
        await scripted.giveForm(ScriptedRegistration.openfireForm)
        let set = await scripted.accept()
        #expect(try await outcome == JID("juliet@example.org"))
        let query = try #require(set?.children.first)
        #expect(query.children.map(\.localName) == ["x"])
        let form = try #require(query.children.first.flatMap { DataForm($0) })
        #expect(form.fields.map(\.name) == ["FORM_TYPE", "username", "name", "email", "password"])
        #expect(form["username"]?.values == ["juliet"] && form["password"]?.values == ["R0m30"])
        #expect(form["email"]?.values == [])
        await scripted.peer.expectEnd()
    }

    @Test("OF16 B51 after the result nothing more is sent, and the registered address is the result")
    func success() async throws {
        let scripted = try await ScriptedRegistration()
        async let first = scripted.attempt("bad name?")
        #expect(await first?.code == .nameNotAcceptable)
        async let second = scripted.attempt("root")
        await scripted.giveForm()
        await scripted.refuse("policy-violation", code: 406, type: "modify")
        #expect(await second?.code == .detailsNotAcceptable)
        async let third = scripted.attempt("ann")
        await scripted.refuse("conflict", code: 409, type: "cancel")
        #expect(await third?.code == .nameTaken)
        async let fourth = scripted.registration.register(username: "ann.4411", password: "x")
        await scripted.accept()
        #expect(try await fourth == JID("ann.4411@example.org"))
        await scripted.peer.expectEnd()
        let end = scripted.peer.written.count
        #expect(await scripted.attempt("ann")?.code == .invalidArgument)
        #expect(scripted.peer.written.count == end)
        #expect(scripted.peer.connections == 1)
    }

    @Test("OF17 a taken name keeps the stream, the echoed password stays out of the error")
    func conflict() async throws {
        let scripted = try await ScriptedRegistration()
        async let outcome = scripted.attempt()
        await scripted.giveForm()
        await scripted.refuse("conflict", code: 409, type: "cancel", text: "R0m30 is no good")
        let error = await outcome
        #expect(error?.code == .nameTaken)
        #expect(error?.description.contains("juliet") == true)
        #expect(String(reflecting: error).contains("R0m30") == false)
        async let again = scripted.attempt("juliet2")
        await scripted.accept()
        #expect(await again == nil)
    }

    @Test(
        "OF18 B49 each refusal has its own meaning, and a closed door is not knocked at again",
        arguments: [
            ("not-acceptable", 406, "modify", "detailsNotAcceptable"),
            ("jid-malformed", 400, "modify", "nameNotAcceptable"),
            ("forbidden", 403, "auth", "registrationClosed"), ("not-allowed", 405, "cancel", "registrationClosed"),
            ("internal-server-error", 500, "wait", "requestFailed"),
            ("resource-constraint", 500, "wait", "tooManyAttempts"),
            ("redirect", 302, "modify", "registrationElsewhere"),
        ])
    func refusals(_ condition: String, _ number: Int, _ type: String, _ code: String) async throws {
        let scripted = try await ScriptedRegistration()
        async let outcome = scripted.attempt()
        await scripted.giveForm()
        await scripted.refuse(condition, code: number, type: type)
        let error = await outcome
        #expect(error?.code.rawValue == code)
        #expect(error?.stanzaError?.condition.name == condition)
        #expect(String(reflecting: error).contains("R0m30") == false)
        guard code == "registrationClosed" else { return await scripted.registration.close() }
        await scripted.peer.expectEnd()
        let end = scripted.peer.written.count
        #expect(await scripted.attempt()?.code == .registrationClosed)
        #expect(scripted.peer.written.count == end)
    }

    @Test("OF18 an empty password is refused here, and one that the server calls weak is named as the password")
    func password() async throws {
        let scripted = try await ScriptedRegistration()
        #expect(await scripted.attempt("juliet", "")?.code == .passwordNotAcceptable)
        #expect(await scripted.attempt("juliet", "a\u{0}b")?.code == .passwordNotAcceptable)
        async let outcome = scripted.attempt()
        await scripted.giveForm()
        await scripted.refuse("not-acceptable", code: 406, type: "modify", text: "The password is too weak")
        #expect(await outcome?.code == .passwordNotAcceptable)
        await scripted.registration.close()
    }

    @Test("B53 a server that does not announce registration is asked all the same")
    func probed() async throws {
        let scripted = try await ScriptedRegistration(features: "")
        async let form = scripted.registration.form()
        await scripted.giveForm()
        #expect(try await form.fields.count == 2)
        await scripted.registration.close()
    }

    @Test("B53 an error to that question means closed")
    func closed() async throws {
        let scripted = try await ScriptedRegistration(features: "")
        async let form = scripted.registration.form()
        await scripted.refuse("service-unavailable", code: 503, type: "cancel")
        do {
            _ = try await form
            Issue.record("there was no form")
        } catch let error as XMPPError { #expect(error.code == .registrationClosed) }
        await scripted.peer.expectEnd()
    }

    @Test("B56 of an error and a result with the same id the first counts")
    func twoReplies() async throws {
        let scripted = try await ScriptedRegistration()
        async let outcome = scripted.attempt()
        await scripted.giveForm()
        let set = await scripted.refuse("internal-server-error", code: 500, type: "wait")
        scripted.peer.inject("<iq type='result' id='\(set?["id"] ?? "")' from='example.org'/>")
        #expect(await outcome?.code == .requestFailed)
        async let again = scripted.attempt()
        await scripted.accept()
        #expect(await again == nil)
    }

    @Test("B51 attempts are capped")
    func capped() async throws {
        let scripted = try await ScriptedRegistration()
        for number in 0..<InBandRegistration.maximumAttempts {
            async let outcome = scripted.attempt("n\(number)")
            if number == 0 { await scripted.giveForm() }
            await scripted.refuse("conflict", code: 409, type: "cancel")
            #expect(await outcome?.code == .nameTaken)
        }
        #expect(await scripted.attempt("last")?.code == .tooManyAttempts)
        await scripted.peer.expectNothing()
        await scripted.registration.close()
    }

    @Test(
        "B52 a CAPTCHA is asked anew after a wrong answer, and a picture nobody can see ends the attempt before it is sent"
    )
    func captcha() async throws {
        let scripted = try await ScriptedRegistration()
        let xml = RegistrationFormTests.captcha.replacing("MORE", with: "<uri>https://example.org/ocr</uri>")
        async let wrong = scripted.attempt(extra: ["ocr": "dog"])
        await scripted.giveForm(xml)
        await scripted.refuse("not-allowed", code: 405, type: "cancel", text: "The CAPTCHA verification has failed")
        #expect(await wrong?.code == .detailsNotAcceptable)
        async let hopeless = scripted.attempt()
        await scripted.giveForm(RegistrationFormTests.captcha.replacing("MORE", with: ""))
        let error = await hopeless
        #expect(error?.code == .detailsNotAcceptable)
        #expect(error?.description.contains("Enter the text you see") == true)
        await scripted.peer.expectNothing()
        await scripted.registration.close()
    }

    @Test("a server that wants accounts made on a page says which")
    func elsewhere() async throws {
        let scripted = try await ScriptedRegistration()
        async let outcome = scripted.attempt()
        await scripted.giveForm(
            "<instructions>Visit us</instructions><x xmlns='jabber:x:oob'><url>https://example.org/join</url></x>")
        let error = await outcome
        #expect(error?.code == .registrationElsewhere)
        #expect(error?.description.contains("https://example.org/join") == true)
        await scripted.registration.close()
    }

    @Test("without TLS the password is sent only by consent")
    func clear() async throws {
        do {
            _ = try await InBandRegistration.open(
                domain: "example.org", server: ServerAddress(host: "127.0.0.1", security: .none))
            Issue.record("a connection in clear was opened")
        } catch let error as XMPPError { #expect(error.code == .invalidArgument) }
        do {
            _ = try await InBandRegistration.open(domain: "exa mple")
            Issue.record("a domain with a space was taken")
        } catch let error as XMPPError { #expect(error.code == .invalidAddress) }
    }
}
