// SPDX-License-Identifier: Apache-2.0
import Foundation
import XMPP

/// Says back what it hears: `EchoBot ADDRESS [HOST PORT CA-FILE] < password`.
@main struct EchoBot {
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
        do { try await session.connect() } catch {
            print(error)
            exit(1)
        }
        for try await message in incoming where message.kind == .chat {
            if let text = message.body { try await session.send(.chat(to: message.from, text)) }
        }
    }
}
