// SPDX-License-Identifier: Apache-2.0
@testable import ChatKit
import Testing
import XMPP

@Suite("An account's way to its server")
struct ProxySettingsTests {
    private let credentials = Credentials.password("secret1")

    private func account(_ change: (inout AccountSettings) -> Void) throws -> Account {
        var settings = AccountSettings()
        change(&settings)
        return try AccountSettings(json: settings.json).account(try JID("juliet@example.org"), credentials)
    }

    @Test("a proxy and its login survive being stored, and reach the session")
    func proxy() throws {
        let account = try account { $0.proxy = ProxySettings(url: "socks5://h:9", user: "ann", password: "hunter2") }
        #expect(account.proxy == ProxyServer(.socks5, host: "h", port: 9, user: "ann", password: "hunter2"))
        #expect(account.server == nil)
    }

    @Test("T002 a WebSocket takes the place of a host, and only a secure one")
    func webSocket() throws {
        let account = try account {
            $0.host = "h"
            $0.webSocket = "wss://chat.example.org/ws"
        }
        #expect(account.server == ServerAddress(webSocket: "wss://chat.example.org/ws"))
        #expect(throws: XMPPError.self) { try self.account { $0.webSocket = "ws://chat.example.org/ws" } }
        #expect(throws: XMPPError.self) { try self.account { $0.proxy = ProxySettings(url: "ftp://h") } }
    }

    @Test("user and password of a proxy are in no description")
    func secrecy() {
        var settings = AccountSettings()
        settings.proxy = ProxySettings(url: "http://h:9", user: "annabel", password: "hunter2")
        var dumped = ""
        dump(settings, to: &dumped)
        for text in ["\(settings)", String(reflecting: settings), dumped] {
            #expect(!text.contains("hunter2") && !text.contains("annabel"), "\(text)")
        }
    }
}
