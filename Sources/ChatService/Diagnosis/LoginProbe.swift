// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatKit
import XMPP

/// Logs in once and looks at what there is behind the login.
struct LoginProbe: Sendable {
    let account: Account
    let configuration: SessionConfiguration

    func run(mayWork: Bool) async -> [Diagnosis.Check] {
        let jid = account.jid
        guard jid.local != nil else {
            return [.init("login", "\(jid)", .skipped, "not tried: \(jid) is a server, not an account")]
        }
        let credentials = account.credentials
        guard credentials.password != nil || credentials.keys != nil || account.clientCertificate != nil else {
            return [
                .init(
                    "login", "\(jid)", .skipped, "not tried: no password is known for \(jid)",
                    advice: "give one with --password-file, or in APUS_PASSWORD")
            ]
        }
        guard mayWork else {
            return [.init("login", "\(jid)", .skipped, "not tried: no mechanism can be used")]
        }
        return await logIn()
    }

    private func logIn() async -> [Diagnosis.Check] {
        let session = XMPPSession(account: account, configuration: configuration)
        let events = session.events()
        let watching = Task { () -> Seen in
            var seen = Seen()
            do { for try await event in events { seen.note(event) } } catch {}
            return seen
        }
        let name = "\(account.jid.bare)"
        do {
            try await session.connect()
        } catch {
            await session.disconnect()
            _ = await watching.value
            let words = ChatAPIError(ChatError(error))
            return [
                .init(
                    "login", name, .broken, words.description, advice: words.hint ?? Self.advice(words.code),
                    code: words.code)
            ]
        }
        let services = try? await session.discoverServices()
        await session.disconnect()
        let seen = await watching.value
        let bound = seen.isBound ? ", bound to the TLS channel" : ""
        return [
            .init("login", name, .fine, "logged in by \(seen.mechanism)\(bound)"), seen.streamCheck(account.jid.domain),
            Self.servicesCheck(services, account.jid.domain),
        ]
    }

    private static func advice(_ code: ChatAPIError.Code) -> String? {
        switch code {
        case .authentication: "check name and password; 'apus account password JID --local' tells the profile a new one"
        case .network, .timeout: "try again; if it stays so, the server's operator must look into the server's log"
        default: nil
        }
    }

    private static func servicesCheck(_ found: Set<ServerService>?, _ domain: String) -> Diagnosis.Check {
        guard let found else {
            return .init(
                "services", domain, .warning, "the server does not say what services it has",
                advice: "the server's operator must look into the server's log")
        }
        let present = ServerService.allCases.filter { found.contains($0) }.map(\.name).joined(separator: ", ")
        let missing = ServerService.allCases.filter { !found.contains($0) }.map(\.name).joined(separator: ", ")
        guard !missing.isEmpty else { return .init("services", domain, .fine, "the server has \(present)") }
        return .init(
            "services", domain, .warning,
            present.isEmpty ? "the server lacks \(missing)" : "the server has \(present); it lacks \(missing)",
            advice: "the server's operator could switch that on")
    }

    /// What the session told of its login.
    private struct Seen: Sendable {
        var mechanism = ""
        var isBound = false
        var offers: [StreamFeatures] = []

        mutating func note(_ event: SessionEvent) {
            switch event {
            case .authenticated(let mechanism, let isBoundToChannel):
                (self.mechanism, isBound) = (mechanism, isBoundToChannel)
            case .offered(let offer): offers.append(offer.details)
            default: break
            }
        }

        func streamCheck(_ domain: String) -> Diagnosis.Check {
            let wanted = [
                ("resuming a lost connection (XEP-0198)", offers.contains(where: \.offersStreamManagement)),
                ("saving traffic in the background (XEP-0352)", offers.contains(where: \.offersClientState)),
                ("versions of the contact list", offers.contains(where: \.offersRosterVersioning)),
            ]
            let missing = wanted.filter { !$0.1 }.map(\.0)
            let present = wanted.filter(\.1).map(\.0)
            guard missing.isEmpty else {
                return .init(
                    "stream", domain, .warning, "the stream lacks \(missing.joined(separator: ", "))",
                    advice: "the server's operator should switch that on")
            }
            return .init("stream", domain, .fine, "the stream has \(present.joined(separator: ", "))")
        }
    }
}
