// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import Testing
import TransportTesting

@Suite("WebSocket endpoints that a domain names", .timeLimit(.minutes(1)))
struct WebSocketSearchTests {
    /// A domain whose SRV record leads to `port`, an HTTPS server with documents, and a WebSocket.
    private struct Scene {
        let names: DNSTestServer
        let web: TestServer
        let socket: TestServer
        let connector: TCPConnector
        let paths: Locked<[String]>

        /// Leads to an address on which nobody listens, whatever ports the other servers get.
        static let refusingPort: UInt16 = 5

        init(srvPort: UInt16, webNames: String = "DNS:example.test", document: Int = 0) throws {
            let paths = Locked<[String]>([])
            self.paths = paths
            let socketContext = TestTLSContext("DNS:ws.test")
            socket = try TestServer { peer in
                guard peer.acceptTLS(socketContext), let socket = TestWebSocket(peer) else { return }
                _ = socket.read()
            }
            let url = "wss://ws.test:\(socket.port)/ws"
            let context = TestTLSContext(webNames)
            web = try TestServer { peer in
                guard peer.acceptTLS(context) else { return }
                let path = peer.read(through: "\r\n\r\n").split(separator: " ").dropFirst().first.map(String.init) ?? ""
                paths.withLock { $0.append(path) }
                let body = path == "/\(document)" ? url : ""
                peer.write(
                    "HTTP/1.1 \(body.isEmpty ? 404 : 200) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                peer.endTLS()
            }
            names = try DNSTestServer([
                "_xmpp-client._tcp.example.test SRV": .records([
                    .service(priority: 1, weight: 0, port: srvPort, target: srvPort == 0 ? "" : "a.test")
                ]),
                "a.test A": .records([.address(srvPort == Scene.refusingPort ? "127.87.41.9" : "127.0.0.1")]),
                "ws.test A": .records([.address("127.0.0.1")]),
            ])
            var connector = TCPConnector(resolver: names.configuration, attemptDelay: .milliseconds(40))
            connector.webSocketLookupServer = web.endpoint
            self.connector = connector
        }

        var target: ConnectTarget {
            var target = testTarget()
            let read: @Sendable ([UInt8]) -> [Endpoint] = { body in
                Endpoint(webSocketURL: String(decoding: body, as: UTF8.self)).map { [$0] } ?? []
            }
            target.webSocket = .plain(
                WebSocketLookup([.init("/0", endpoints: read), .init("/1", endpoints: read)]))
            return target
        }

        func stop() {
            names.stop()
            web.stop()
            socket.stop()
        }
    }

    @Test("when what DNS names refuses, the domain is asked, document after document", arguments: [0, 1])
    func fallBack(document: Int) async throws {
        let scene = try Scene(srvPort: Scene.refusingPort, document: document)
        defer { scene.stop() }
        let channel = try await scene.connector.connect(to: scene.target, loop: .shared, deadline: .seconds(20))
        #expect(channel.endpoint == Endpoint(host: "ws.test", port: scene.socket.port, webSocketPath: "/ws"))
        await EventLoop.shared.perform { channel.abort() }
        #expect(scene.paths.withLock { $0 } == ["/0", "/1"].prefix(document + 1).map { $0 })
    }

    @Test("a domain without services for TCP may have one, too")
    func notOffered() async throws {
        let scene = try Scene(srvPort: 0)
        defer { scene.stop() }
        let channel = try await scene.connector.connect(to: scene.target, loop: .shared, deadline: .seconds(20))
        #expect(channel.endpoint.webSocketPath == "/ws")
        await EventLoop.shared.perform { channel.abort() }
    }

    @Test("T003 targets that swallow the connection do not keep it from asking")
    func blackhole() async throws {
        let hole = try Blackhole()
        let scene = try Scene(srvPort: hole.port)
        defer { scene.stop() }
        var connector = scene.connector
        connector.webSocketDelay = .milliseconds(100)
        let channel = try await connector.connect(to: scene.target, loop: .shared, deadline: .seconds(50))
        #expect(channel.endpoint.webSocketPath == "/ws")
        await EventLoop.shared.perform { channel.abort() }
        withExtendedLifetime(hole) {}
    }

    @Test("while something else works, nobody is asked")
    func notNeeded() async throws {
        let server = try TestServer { _ in }
        let scene = try Scene(srvPort: server.port)
        defer {
            server.stop()
            scene.stop()
        }
        let channel = try await scene.connector.connect(to: scene.target, loop: .shared, deadline: .seconds(20))
        #expect(channel.endpoint.webSocketPath == nil)
        await EventLoop.shared.perform { channel.abort() }
        #expect(scene.web.acceptedCount == 0)
    }

    @Test("T002 what another server says in the domain's place does not count")
    func foreignDocument() async throws {
        let scene = try Scene(srvPort: Scene.refusingPort, webNames: "DNS:evil.test")
        defer { scene.stop() }
        let error = await connectError(scene.connector, scene.target)
        guard case .refused? = error?.code else {
            Issue.record("\(error?.description ?? "it connected")")
            return
        }
        #expect(scene.socket.acceptedCount == 0)
    }

    @Test("with a host given by hand, nobody is asked")
    func hostByHand() async throws {
        let scene = try Scene(srvPort: 1)
        defer { scene.stop() }
        var target = scene.target
        target.override = Endpoint(host: "127.0.0.1", port: try TestServer.refusingPort())
        #expect(await connectError(scene.connector, target) != nil)
        #expect(scene.web.acceptedCount == 0)
    }
}
