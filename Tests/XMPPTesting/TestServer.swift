// SPDX-License-Identifier: Apache-2.0
package import ApusTransport
import Foundation
package import XMPP

/// A real server that `Scripts/test` started on loopback.
package struct TestServer: Sendable, CustomStringConvertible {
    package let kind: String
    package let version: String
    package let directory: String
    package let domain: String
    package let port: UInt16
    package let directTLSPort: UInt16
    package let httpsPort: UInt16
    /// The URL of its WebSocket.
    package let webSocket: String
    package let authority: String
    /// Where it takes components, which all know the same secret.
    package let componentPort: UInt16
    package let componentSecret: String
    /// It is one of those that `Scripts/get-newer-servers` brings, which have the login of XEP-0388.
    package let isNewer: Bool
    /// It keeps passwords in clear, and salts them anew for each login.
    package let saltsAnew: Bool

    package var description: String { "\(kind) \(version)" }

    /// The servers named in `APUS_TEST_SERVERS`, none in a plain `swift test`.
    package static let all: [TestServer] = (ProcessInfo.processInfo.environment["APUS_TEST_SERVERS"] ?? "")
        .split(separator: ":").compactMap { TestServer(environmentFile: String($0)) }

    package init?(environmentFile path: String) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[String(parts[0])] = parts[1].trimmingCharacters(in: ["'"]) }
        }
        guard let domain = values["DOMAIN"], let port = values["C2S_PORT"].flatMap({ UInt16($0) }),
            let direct = values["C2S_TLS_PORT"].flatMap({ UInt16($0) }), let authority = values["CA_FILE"],
            let https = values["HTTPS_PORT"].flatMap({ UInt16($0) }), let webSocket = values["WS_URL"]
        else { return nil }
        self.domain = domain
        self.port = port
        self.authority = authority
        directTLSPort = direct
        httpsPort = https
        self.webSocket = webSocket
        componentPort = values["COMPONENT_PORT"].flatMap { UInt16($0) } ?? 0
        componentSecret = values["COMPONENT_SECRET"] ?? ""
        directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        version = values["VERSION"] ?? ""
        saltsAnew = values["AUTH"] == "plain"
        isNewer = values["BACKPORTS"]?.isEmpty == false
        kind = values["KIND"] ?? URL(fileURLWithPath: directory).lastPathComponent
    }

    /// Runs `Scripts/server COMMAND DIRECTORY ARGUMENTS`; gives what it printed.
    @discardableResult
    package func command(_ command: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["Scripts/server", command, directory] + arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw XMPPError(.requestFailed, "server \(command) \(arguments.first ?? "") failed: \(text)")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Makes a client certificate that names an address, signed by the server's authority.
    package func clientCertificate(for jid: JID) throws -> ClientCertificate {
        let file = try command("certify", [jid.bare.description])
        return ClientCertificate(certificateFile: file, keyFile: file)
    }

    /// Makes an account with a name of its own on the server, unless it is to have exactly this one; `at` the address
    /// literal that it serves, too.
    package func account(
        _ name: String, at otherDomain: String? = nil, direct: Bool = false, isExact: Bool = false
    ) throws -> Account {
        let name =
            isExact
            ? name
            : "\(name)-\(SystemRandomness().token().lowercased().filter { $0.isLetter || $0.isNumber })"
        try command("register", [name, "secret"] + (otherDomain.map { [$0] } ?? []))
        return try Account(
            "\(name)@\(otherDomain ?? domain)", password: "secret",
            trust: trust,
            server: ServerAddress(
                host: "127.0.0.1", port: direct ? directTLSPort : port, security: direct ? .directTLS : .startTLS))
    }

    /// Where it listens for STARTTLS.
    package var address: ServerAddress { ServerAddress(host: "127.0.0.1", port: port) }
    /// Only its own authority.
    package var trust: Trust { Trust(usesSystemRoots: false, authorityFiles: [authority]) }

    /// What `make features` calls the server: its kind and version.
    package var label: String { "\(kind)-\(version)" }

    /// A session with an account of the server, whose stream is recorded when somebody asks for that.
    package func session(
        _ account: Account, _ configuration: SessionConfiguration = SessionConfiguration()
    ) -> XMPPSession {
        XMPPSession(account: account, configuration: recorded(configuration))
    }

    /// A connection that makes accounts, recorded in the same way.
    package func openRegistration(at other: String? = nil) async throws -> InBandRegistration {
        try await InBandRegistration.open(
            domain: other ?? domain, server: address, trust: trust,
            configuration: recorded(SessionConfiguration(modules: [])))
    }

    /// The configuration with the recorder of the test that runs now.
    package func recorded(_ configuration: SessionConfiguration) -> SessionConfiguration {
        guard configuration.trace == nil, let recorder = StreamRecorder.current(label) else { return configuration }
        var configuration = configuration
        configuration.trace = recorder.trace
        return configuration
    }
}

/// Connects for real, and can cut what it connected.
package final class CuttableConnector: Connector {
    private let channel = Locked<(any ByteChannel)?>(nil)
    private let loop = Locked<EventLoop?>(nil)

    package init() {}

    package func connect(
        to target: ConnectTarget, loop: EventLoop, deadline: Duration
    ) async throws(TransportError) -> any ByteChannel {
        let made = try await TCPConnector().connect(to: target, loop: loop, deadline: deadline)
        channel.withLock { $0 = made }
        self.loop.withLock { $0 = loop }
        return made
    }

    /// Resets the TCP connection; neither side hears of it in good order.
    package func cut() {
        guard let channel = channel.withLock({ $0 }), let loop = loop.withLock({ $0 }) else { return }
        loop.execute {
            let delegate = channel.delegate
            channel.abort()
            delegate?.channelDidClose(TransportError(.reset, "the connection was cut"))
        }
    }
}
