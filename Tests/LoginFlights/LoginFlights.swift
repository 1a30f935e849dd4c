// SPDX-License-Identifier: Apache-2.0
import Foundation
import XMPP

/// Logs in as it is told on standard input, and prints how long each login took; `Scripts/login-flights` drives it.
///
/// Arguments: port, `direct` or `starttls`, domain, address, password, file of the authority. Commands:
/// - `first`, `first classic`: a session that remembers nothing, by SASL2 or by RFC 6120
/// - `again`, `again classic`: a session that remembers what the one before learnt
/// - `password`: the same, without the token
/// - `quit`
///
/// A session stays connected until the next command; when its connection is cut it comes back, which is printed too:
/// `online MECHANISM new|resumed MILLISECONDS`.
@main
struct LoginFlights {
    /// The lines of standard input, read on a thread that may block.
    private static var commands: AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }

    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 7, let port = UInt16(arguments[1]) else {
            print("usage: apus-login-flights PORT direct|starttls DOMAIN ADDRESS PASSWORD AUTHORITY")
            exit(2)
        }
        do {
            let server = ServerAddress(
                host: "127.0.0.1", port: port, security: arguments[2] == "direct" ? .directTLS : .startTLS)
            var account = try Account(
                arguments[4], password: arguments[5],
                trust: Trust(usesSystemRoots: false, authorityFiles: [arguments[6]]), server: server)
            var login: Login?
            for await line in commands {
                let words = line.split(separator: " ")
                guard let command = words.first, command != "quit" else { break }
                if let login { account.memory = await login.end() }
                if command == "first" { account.memory = LoginMemory() }
                if command == "password" { account.memory.forgetToken() }
                login = Login(account, isClassic: words.last == "classic")
            }
            _ = await login?.end()
        } catch {
            print("failed \(error)")
            exit(1)
        }
    }
}

/// One session and the task that watches it.
private struct Login {
    private let session: XMPPSession
    private let watcher: Task<Void, Never>

    init(_ account: Account, isClassic: Bool) {
        var configuration = SessionConfiguration()
        configuration.usesSASL2 = !isClassic
        configuration.readsArchive = true
        configuration.reconnect = ReconnectPolicy(minimum: .milliseconds(1), stableAfter: .zero)
        let session = XMPPSession(account: account, configuration: configuration)
        let events = session.events()
        self.session = session
        watcher = Task {
            await session.start()
            await Self.watch(events)
        }
    }

    func end() async -> LoginMemory {
        await session.disconnect()
        await watcher.value
        return await session.loginMemory
    }

    private static func watch(_ events: Subscription<SessionEvent>) async {
        let clock = ContinuousClock()
        var began = clock.now
        var name = "-"
        do {
            for try await event in events {
                switch event {
                case .connecting: began = clock.now
                case .authenticated(let mechanism, _): name = mechanism
                case .online(_, let isResumed):
                    let milliseconds = (clock.now - began) / .milliseconds(1)
                    say("online \(name) \(isResumed ? "resumed" : "new") \(milliseconds)")
                case .interrupted(let error, _): say("interrupted \(error)")
                default: break
                }
            }
        } catch { say("failed \(error)") }
    }

    private static func say(_ text: String) {
        // Not through the library's buffers: to empty them waits for whoever reads standard input.
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }
}
