// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import TransportTesting
import XMPP
import XMPPTesting

/// The built program against servers that work.
@Suite(
    "RealServer: apus doctor", .enabled(if: !XMPPTesting.TestServer.all.isEmpty), .timeLimit(.minutes(2)))
struct RealServerDoctorTests {
    @Test("a server that works has nothing broken, from the DNS to the services", arguments: XMPPTesting.TestServer.all)
    func works(_ server: XMPPTesting.TestServer) async throws {
        let account = try server.account("doctor")
        let names = try DNSTestServer([
            "_xmpps-client._tcp.\(server.domain) SRV": .records([
                .service(priority: 0, weight: 0, port: server.directTLSPort, target: "chat.\(server.domain)")
            ]),
            "_xmpp-client._tcp.\(server.domain) SRV": .records([
                .service(priority: 1, weight: 0, port: server.port, target: "chat.\(server.domain)")
            ]),
            "chat.\(server.domain) A": .records([.address("127.0.0.1")]),
        ])
        defer { names.stop() }
        let run = try await ProgramRunner().shell(
            "\"$APUS\" doctor \(account.jid) --ca \"$CA\"",
            environment: [
                "APUS_NAME_SERVERS": "127.0.0.1:\(names.port)", "CA": server.authority, "APUS_PASSWORD": "secret",
            ])
        #expect(run.status == 0, "\(run)")
        for line in [
            "ok    dns         \(server.domain) names chat.\(server.domain):\(server.directTLSPort) (direct TLS)",
            "ok    port        chat.\(server.domain):\(server.port)", "ok    login       logged in by SCRAM-",
            "services",
        ] { #expect(run.output.contains(line), "\(line) is missing: \(run.output)") }
        #expect(!run.output.contains("FAIL"))
    }

    @Test("T021 a pinned certificate lets an unknown authority's server in", arguments: XMPPTesting.TestServer.all)
    func pin(_ server: XMPPTesting.TestServer) async throws {
        let account = try server.account("pin")
        let add =
            "\"$APUS\" account add \(account.jid) --host 127.0.0.1 --port \(server.port)"
        let runner = try ProgramRunner()
        let refused = try await runner.shell(add, environment: ["APUS_PASSWORD": "secret"])
        #expect(refused.status == 7)
        let digest = refused.errors.split(separator: " ").last { $0.count >= 64 }?.prefix(64) ?? ""
        let added = try await runner.shell(
            add + " --trust-certificate \(digest) && \"$APUS\" account trust \(account.jid)",
            environment: ["APUS_PASSWORD": "secret"])
        #expect(added.status == 0, "\(added)")
        #expect(added.output.contains("and no other"))
    }
}
