// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("RealServer: pictures to read", .enabled(if: !TestServer.all.isEmpty), .timeLimit(.minutes(1)))
struct RealServerCaptchaTests {
    /// The servers that show pictures: Prosody has no module for that.
    static let servers = TestServer.all.filter { $0.kind == "ejabberd" }

    @Test("whoever reads what a picture shows gets an account, whoever does not is asked again", arguments: servers)
    func registration(_ server: TestServer) async throws {
        let opened = try await server.openRegistration(at: "captcha.\(server.domain)")
        let name = RealServerExtensionsTests().freshName()
        let shown = try await opened.form()
        #expect(shown.hasCaptcha && shown.unsupportedFields.isEmpty && shown.usesDataForm)
        let field = try #require(shown.fields.first { !$0.media.isEmpty })
        #expect(try await opened.picture(for: field)?.format == .png)
        #expect(field.media.contains { $0.hasPrefix("https://") })
        let question = try #require(field.name)
        let code = await RealServerExtensionsTests().code {
            try await opened.register(username: name, password: "first secret", extra: [question: "a guess"])
        }
        #expect(code == .detailsNotAcceptable)

        _ = try await opened.form()
        // The server's own program that draws the picture leaves there what is in it.
        let text = try String(contentsOfFile: server.directory + "/captcha.text", encoding: .utf8)
        let jid = try await opened.register(username: name, password: "first secret", extra: [question: text])
        #expect(jid.description == "\(name)@captcha.\(server.domain)")
        let session = server.session(
            Account(jid: jid, credentials: .password("first secret"), trust: server.trust, server: server.address))
        try await session.connect()
        await session.disconnect()
    }
}
