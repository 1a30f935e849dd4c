// SPDX-License-Identifier: Apache-2.0
import TransportTesting

/// The domain example.test with its name server and one XMPP server on loopback, broken in the way that a test wants.
final class BrokenServer {
    private let names: DNSTestServer
    private let server: TestServer

    /// For `APUS_NAME_SERVERS`.
    var nameServers: String { "127.0.0.1:\(names.port)" }
    var port: UInt16 { server.port }
    var authorityFile: String { TestCertificates.shared.authorityFile }

    /// `zone` gets the server's port; nil names the server by SRV in the usual way.
    init(
        _ context: TestTLSContext, mechanisms: [String] = ["SCRAM-SHA-1"],
        zone: ((UInt16) -> [String: DNSTestServer.Answer])? = nil
    ) throws {
        server = try TestServer { peer in Self.serve(peer, context, mechanisms) }
        let usual: (UInt16) -> [String: DNSTestServer.Answer] = { port in
            [
                "_xmpp-client._tcp.example.test SRV": .records([
                    .service(priority: 0, weight: 0, port: port, target: "chat.example.test")
                ]),
                "chat.example.test A": .records([.address("127.0.0.1")]),
                "example.test A": .records([.address("127.86.12.9")]),
            ]
        }
        names = try DNSTestServer((zone ?? usual)(server.port))
    }

    deinit {
        names.stop()
        server.stop()
    }

    private static let header =
        "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'"
        + " version='1.0' from='example.test' id='s1'>"

    /// STARTTLS, then the mechanisms; whoever tries one is refused.
    private static func serve(_ peer: TestPeer, _ context: TestTLSContext, _ mechanisms: [String]) {
        peer.read(through: "streams\">")
        peer.write(
            header + "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>"
                + "</stream:features>")
        peer.read(through: "/>")
        peer.write("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        guard peer.acceptTLS(context) else { return }
        peer.read(through: "streams\">")
        peer.write(
            header + "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
                + mechanisms.map { "<mechanism>\($0)</mechanism>" }.joined() + "</mechanisms></stream:features>")
        let said = peer.read(through: ">")
        if said.hasPrefix("<auth") {
            peer.read(through: "</auth>")
            peer.write("<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>")
        }
        _ = peer.readToEnd()
    }
}
