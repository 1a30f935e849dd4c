// SPDX-License-Identifier: Apache-2.0
import Foundation
import XMPP

/// The client that the hostile server of `Tests/Hostile` torments: options as `key=value`, one line of JSON for whatever
/// happens, and the commands `send ID TEXT` and `quit` on its input.
///
/// It ends by itself when the session does.
@main
struct HostileClient {
    static func main() async {
        var options: [String: String] = [:]
        for argument in CommandLine.arguments.dropFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            options[String(parts[0])] = parts.count > 1 ? String(parts[1]) : ""
        }
        do {
            try await run(options)
        } catch let error as XMPPError {
            say("failed", ["code": error.code.rawValue, "text": error.description])
        } catch { say("failed", ["code": "?", "text": "\(error)"]) }
    }

    private static func run(_ options: [String: String]) async throws {
        var account = try Account(
            options["jid"] ?? "juliet@example.org/balcony", password: options["password"] ?? "secret")
        account.trust = Trust(usesSystemRoots: false, authorityFiles: options["ca"].map { [$0] } ?? [])
        let security: ServerAddress.Security =
            switch options["security"] {
            case "direct": .directTLS
            case "none": .none
            default: .startTLS
            }
        account.server = ServerAddress(
            host: options["host"] ?? "127.0.0.1", port: UInt16(options["port"] ?? "") ?? 0, security: security)
        account.permitsPlain = options["plain"] == "1"
        account.requiresChannelBinding = options["binding"] == "1"
        var configuration = SessionConfiguration()
        configuration.loginTimeout = seconds(options["timeout"] ?? "20")
        configuration.livenessInterval = seconds(options["liveness"] ?? "100")
        configuration.livenessTimeout = seconds(options["patience"] ?? "20")
        configuration.initialPresence = nil
        configuration.readsArchive = options["archive"] == "1"
        configuration.upgradesPasswords = options["upgrade"] == "1"
        configuration.reconnect =
            options["reconnect"] == "1"
            ? ReconnectPolicy(minimum: .milliseconds(20), maximum: .milliseconds(100)) : .never
        let session = XMPPSession(account: account, configuration: configuration)
        let events = session.events()
        let messages = session.messages()
        let reading = Task {
            for try await message in messages {
                say(
                    "message",
                    [
                        "from": message.from?.description ?? "", "type": message.kind.rawValue,
                        "body": message.body ?? "", "id": message.id ?? "",
                    ])
            }
        }
        let input = Thread { listen(session) }
        input.start()
        Task { await session.start() }
        do {
            for try await event in events { tell(event) }
        } catch {}
        _ = await reading.result
        say("dropped", ["count": "\(await session.droppedStanzas)"])
    }

    private static func listen(_ session: XMPPSession) {
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            switch words.first {
            case "send" where words.count == 3:
                guard let to = try? JID("bo@example.org") else { continue }
                do { follow(try session.post(.chat(to: to, words[2], id: words[1])), words[1]) } catch {
                    say("unsent", ["id": words[1], "text": "\(error)"])
                }
            case "ask":
                Task {
                    do {
                        _ = try await session.get(
                            Element(XMLName("query", "jabber:iq:version")), to: try JID("bo@example.org/x"),
                            timeout: .seconds(3))
                        say("answered", [:])
                    } catch { say("unanswered", ["code": (error as? XMPPError)?.code.rawValue ?? "?"]) }
                }
            case "probe": Task { await session.networkDidChange() }
            default: Task { await session.disconnect() }
            }
        }
    }

    private static func follow(_ ticket: SendTicket, _ id: String) {
        Task {
            do {
                try await ticket.acknowledged()
                say("acknowledged", ["id": id])
            } catch { say("unsent", ["id": id, "text": "\(error)"]) }
        }
    }

    private static func tell(_ event: SessionEvent) {
        switch event {
        case .connecting(let attempt): say("connecting", ["attempt": "\(attempt)"])
        case .secured(let version, let cipher): say("secured", ["version": version, "cipher": cipher])
        case .authenticated(let mechanism, let isBound): say("authenticated", ["by": mechanism, "bound": "\(isBound)"])
        case .online(let jid, let isResumed): say("online", ["jid": "\(jid)", "resumed": "\(isResumed)"])
        case .interrupted(let error, _): say("interrupted", ["code": error.code.rawValue, "text": error.description])
        case .ended(let error): say("ended", ["code": error?.code.rawValue ?? "", "text": error?.description ?? ""])
        case .undeliverable(let id, _): say("undeliverable", ["id": id ?? ""])
        default: say("event", ["text": "\(event)"])
        }
    }

    private static func say(_ what: String, _ values: [String: String]) {
        var values = values
        values["event"] = what
        guard let data = try? JSONSerialization.data(withJSONObject: values, options: [.sortedKeys]) else { return }
        FileHandle.standardOutput.write(data + [0x0A])
    }

    private static func seconds(_ text: String) -> Duration { .milliseconds(Int((Double(text) ?? 1) * 1000)) }
}
