// SPDX-License-Identifier: Apache-2.0
import Foundation
import XMPP

/// A part of a server that answers for every address of its domain: `EchoComponent DOMAIN HOST PORT < secret`.
@main
struct EchoComponent {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 3, let port = UInt16(arguments[3]) else {
            return print("EchoComponent DOMAIN HOST PORT < secret")
        }
        let component = try ComponentSession(
            arguments[1], secret: readLine() ?? "",
            server: ServerAddress(host: arguments[2], port: port, security: .none))
        let incoming = component.messages()
        let presences = component.presences()
        do { try await component.connect() } catch {
            print(error)
            exit(1)
        }
        // Whoever wants to see somebody of this domain may.
        Task {
            for try await presence in presences where presence.kind == .subscribe {
                var answer = Presence(.subscribed, to: presence.from)
                answer.from = presence.to
                try await component.send(answer)
            }
        }
        for try await message in incoming {
            guard let text = message.body, message.kind != .error else { continue }
            var answer = Message.chat(to: message.from, "\(message.to?.local ?? "nobody") heard: \(text)")
            answer.from = message.to
            try await component.send(answer)
        }
    }
}
