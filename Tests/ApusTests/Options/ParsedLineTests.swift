// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Testing

@testable import apus

@Suite struct ParsedLineTests {
    private func line(_ options: [String: String]) -> ParsedLine {
        ParsedLine(command: Commands.send, options: options)
    }

    @Test(arguments: [
        ("30", 30_000), ("30s", 30_000), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000), ("1.5", 1500),
        ("0.25s", 250),
    ])
    func `times are read with and without a unit`(text: String, milliseconds: Int64) throws {
        #expect(try line(["timeout": text]).duration("timeout", default: .zero) == .milliseconds(milliseconds))
    }

    @Test(arguments: ["", "s", "-1", "0", "1x", "1d", "1e9", "nan", "99999h", "1 s", "0x10"])
    func `what is no time is refused`(text: String) {
        #expect(throws: CommandError.self) { try line(["timeout": text]).duration("timeout", default: .zero) }
    }

    @Test func `a missing option has its default`() throws {
        #expect(try line([:]).duration("timeout", default: .seconds(3)) == .seconds(3))
        #expect(try line([:]).number("limit", default: 50) == 50)
    }

    @Test(arguments: ["0", "-3", "x", "1.5", "99999999999999999999"])
    func `what is no count is refused`(text: String) {
        #expect(throws: CommandError.self) { try line(["limit": text]).number("limit", default: 50) }
    }

    @Test func `server settings are taken together`() throws {
        let settings = try line(["host": "h", "port": "5223", "direct-tls": "", "ca": "/x/ca.pem"]).server()
        #expect(settings == ServerSettings(host: "h", port: 5223, usesDirectTLS: true, authorityFile: "/x/ca.pem"))
        #expect(try line([:]).server() == ServerSettings())
        #expect(try line(["ca": "ca.pem"]).server().authorityFile?.hasPrefix("/") == true)
    }

    @Test func `a WebSocket and a proxy are taken as they are`() throws {
        let settings = try line(["websocket": "wss://h/ws", "proxy": "socks5://127.0.0.1:9050"]).server()
        #expect(settings == ServerSettings(webSocket: "wss://h/ws", proxy: "socks5://127.0.0.1:9050"))
        #expect(try line(["proxy": "http://proxy.example:8080"]).server().proxy == "http://proxy.example:8080")
    }

    @Test(arguments: [
        ["port": "5222"], ["direct-tls": ""], ["websocket": "ws://h/"], ["websocket": "wss://h/", "host": "h"],
        ["proxy": "h:1080"], ["proxy": "socks5://u:p@h:1"], ["proxy-login-file": "f"], ["host": "h", "port": "0"],
        ["host": "h", "port": "70000"],
    ])
    func `settings that make no sense alone are refused`(options: [String: String]) {
        #expect(throws: CommandError.self) { try line(options).server() }
    }
}
