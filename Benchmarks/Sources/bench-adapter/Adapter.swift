// SPDX-License-Identifier: Apache-2.0
import Foundation
@_spi(Measuring) import XMPP

/// Runs one benchmark through the public API and prints one JSON line; `Benchmarks/README.md` has the contract.
@main
struct Adapter {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            var report = Report()
            report.add("peer", "apus")
            report.add("version", "0.1")
            report.add("bench", options["bench"])
            report.add("variant", options["variant"])
            report.add("n", options.number("n"))
            let adapter = Adapter(options: options)
            let ok =
                switch options["bench"] {
                case "parse": try adapter.parse(&report)
                case "flood": try await adapter.flood(&report)
                case "sink": try await adapter.sink(&report)
                case "echo": try await adapter.echo(&report)
                case "login": try await adapter.login(&report)
                case "idle": try await adapter.idle(&report)
                default: throw Failure("unknown benchmark \(options["bench"])")
                }
            print(report.line)
            exit(ok ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("bench-adapter: \(String(reflecting: error))\n".utf8))
            exit(1)
        }
    }

    let options: Options
    var n: Int { options.number("n") }
    /// React on the stream's own thread instead of in a task.
    var onExecutor: Bool { options["variant"].contains("executor") }

    func account(_ user: String, pin: [UInt8]? = nil) throws -> Account {
        var account = try Account("\(user)@\(options["domain"])/bench", password: options["password"])
        let security: ServerAddress.Security =
            switch options["tls"] {
            case "none": .none
            case "direct": .directTLS
            default: .startTLS
            }
        account.server = ServerAddress(
            host: options["host"], port: UInt16(options.number("port")), security: security)
        account.permitsPlain = options["tls"] == "none"
        account.trust.usesSystemRoots = false
        if !options["ca"].isEmpty { account.trust.authorityFiles = [options["ca"]] }
        if let pin { account.trust.pinnedCertificates = [pin] }
        return account
    }

    /// The contract lets a program take any certificate.
    ///
    /// Apus takes none unseen: it looks once, before the clock starts, and pins what it saw.
    func learnCertificate() async throws -> [UInt8]? {
        guard options["tls"] != "none", options["ca"].isEmpty else { return nil }
        let session = XMPPSession(account: try account(options["user"]))
        do {
            try await session.connect()
            await session.disconnect()
            return nil
        } catch let error as XMPPError {
            guard let certificate = error.refusedCertificate else { throw error }
            return certificate
        }
    }

    func prepared() async throws -> XMPPSession {
        XMPPSession(account: try account(options["user"], pin: try await learnCertificate()))
    }

    func address(_ text: String) throws -> JID { try JID("\(text)@\(options["domain"])") }
}
