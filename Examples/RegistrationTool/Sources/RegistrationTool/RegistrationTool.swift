// SPDX-License-Identifier: Apache-2.0
import Foundation
import XMPP

/// Makes an account: `RegistrationTool DOMAIN NAME [HOST PORT CA-FILE]`, with the password in the first line of the input
/// and the answers to whatever else the server asks in the next ones.
@main
struct RegistrationTool {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2, let password = readLine() else {
            print("RegistrationTool DOMAIN NAME [HOST PORT CA-FILE] < password")
            exit(2)
        }
        var server: ServerAddress?
        var trust = Trust()
        if arguments.count > 5, let port = UInt16(arguments[4]) {
            server = ServerAddress(host: arguments[3], port: port)
            trust.authorityFiles = [arguments[5]]
        }
        do {
            let registration = try await InBandRegistration.open(domain: arguments[1], server: server, trust: trust)
            let form = try await registration.form()
            for line in form.instructions { print(line) }
            var values = ["username": [arguments[2]], "password": [password]]
            for field in form.fields {
                guard let name = field.name, field.isRequired, field.kind != .hidden, values[name] == nil else {
                    continue
                }
                print("\(field.title):")
                values[name] = readLine().map { [$0] }
            }
            let jid = try await registration.submit(values)
            print("registered \(jid)")
        } catch {
            // As error 409 of old: the name is taken, and another one may be free.
            let isTaken = (error as? XMPPError)?.code == .nameTaken
            print(isTaken ? "the name \(arguments[2]) is taken" : "\(error)")
            exit(1)
        }
    }
}
