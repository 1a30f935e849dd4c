// SPDX-License-Identifier: Apache-2.0
import XMPP

/// Says back what it hears: `EchoBot ADDRESS [HOST PORT CA-FILE] < password`.
@main
struct EchoBot {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else { return print("EchoBot ADDRESS [HOST PORT CA-FILE] < password") }
        var account = try Account(arguments[1], password: readLine() ?? "")
        if arguments.count > 4, let port = UInt16(arguments[3]) {
            account.server = ServerAddress(host: arguments[2], port: port)
            account.trust.authorityFiles = [arguments[4]]
        }
        let session = XMPPSession(account: account)
        let incoming = session.messages()
        try await session.connect()
        for try await message in incoming {
            if let text = message.body, message.kind != .error {
                try await session.send(.chat(to: message.from, text))
            }
        }
    }
}
