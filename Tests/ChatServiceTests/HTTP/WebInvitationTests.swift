// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Foundation
import Testing

@testable import ChatService

@Suite struct WebInvitationTests {
    @Test("An invitation comes with its link and code, and is made once for one key")
    func make() async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let first = try await browser.write("POST", "/api/v1/accounts/a%40b/invitations", "{}", key: "k")
            #expect(first.status == 201 && first.body.contains(#""link":"xmpp:ana@example.org?roster;preauth=T""#))
            #expect(first.body.contains(#""qr":{"#))
            #expect(
                try await browser.write("POST", "/api/v1/accounts/a%40b/invitations", "{}", key: "k").body == first.body
            )
            #expect(fixture.core.calls == ["createInvitation contact"])
        }
    }

    @Test(
        "T158 a link is told what it is, and nothing is done by it",
        arguments: [
            (
                "xmpp:ana@example.org",
                #"{"action":"open","address":"ana@example.org","domain":"example.org","harmless":true}"#
            ),
            (
                "xmpp:ana@example.org?message;body=hi%20there",
                #"{"action":"message","address":"ana@example.org","body":"hi there","domain":"example.org","harmless":true}"#
            ),
            (
                " XMPP:ana@example.org?roster;preauth=tok;name=Ana;ibr=y ",
                #"{"action":"add-contact","address":"ana@example.org","domain":"example.org","harmless":false,"name":"Ana","permits_registration":true,"token":"tok"}"#
            ),
            (
                "xmpp:example.org?register;preauth=tok",
                #"{"action":"register","address":"example.org","domain":"example.org","harmless":false,"token":"tok"}"#
            ),
            (
                "https://example.org/invite#xmpp:ana@example.org?roster;preauth=tok",
                #"{"action":"add-contact","address":"ana@example.org","domain":"example.org","harmless":false,"permits_registration":false,"token":"tok"}"#
            ),
            (
                "xmpp:room@muc.example.org?join;password=p",
                #"{"action":"join","address":"room@muc.example.org","domain":"muc.example.org","harmless":false,"password":"p"}"#
            ),
            (
                "xmpp:ana@example.org?remove",
                #"{"action":"other","address":"ana@example.org","domain":"example.org","harmless":false}"#
            ),
            ("https://example.org/", nil), ("javascript:alert(1)", nil), ("", nil),
        ])
    func links(_ link: String, _ expected: String?) async throws {
        try await WebFixture.with { fixture in
            let browser = try await fixture.browser()
            let reply = try await browser.write("POST", "/api/v1/links", #"{"link":"\#(link)"}"#)
            #expect(reply.status == (expected == nil ? 400 : 200))
            if let expected { #expect(reply.body == expected) }
            #expect(fixture.core.calls.isEmpty)
        }
    }

    @Test("A contact is accepted with its token, and changed in what is given alone")
    func contacts() async throws {
        let core = FakeChatClient()
        core.set { $0.contacts = [ContactSummary(account: "a@b", address: "c@d", name: "C", groups: ["g"])] }
        try await WebFixture.with(core: core) { fixture in
            let browser = try await fixture.browser()
            #expect(
                try await browser.write("PATCH", "/api/v1/contacts/a%40b/c%40d", #"{"groups":["h"]}"#).status == 200)
            #expect(try await browser.write("PATCH", "/api/v1/contacts/a%40b/c%40d", #"{"name":""}"#).status == 200)
            #expect(try await browser.write("PATCH", "/api/v1/contacts/a%40b/x%40y", #"{"name":"X"}"#).status == 404)
            #expect(try await browser.write("PATCH", "/api/v1/accounts/a%40b", #"{"enabled":false}"#).status == 200)
            #expect(
                core.calls.filter { $0 != "contacts" }
                    == ["changeContact c@d C h", "changeContact c@d - g", "setEnabled a@b false"])
        }
    }
}
