// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import Testing
import TransportTesting

@Suite("WebSocketChannel", .timeLimit(.minutes(1)))
struct WebSocketChannelTests {
    private func server(
        _ names: String = "DNS:ws.test", early: [UInt8] = [], _ script: @escaping @Sendable (TestWebSocket) -> Void
    ) throws -> TestServer {
        let context = TestTLSContext(names, applicationProtocol: "http/1.1")
        return try TestServer { peer in
            guard peer.acceptTLS(context), let socket = TestWebSocket(peer, early: early) else { return }
            script(socket)
            peer.endTLS()
        }
    }

    private func names() throws -> DNSTestServer { try DNSTestServer(["ws.test A": .records([.address("127.0.0.1")])]) }

    private func target(_ server: TestServer) -> ConnectTarget {
        var target = testTarget(
            "example.test", Endpoint(host: "ws.test", port: server.port, webSocketPath: "/xmpp-websocket"))
        target.webSocket = .plain()
        return target
    }

    private func connect(_ server: TestServer, _ recorder: Recorder) async throws -> any ByteChannel {
        let names = try names()
        defer { names.stop() }
        let channel = try await TCPConnector(resolver: names.configuration)
            .connect(to: target(server), loop: .shared, deadline: .seconds(20))
        await EventLoop.shared.perform { channel.delegate = recorder }
        return channel
    }

    private func connectError(_ server: TestServer) async throws -> TransportError? {
        let names = try names()
        defer { names.stop() }
        return await ApusTransportTests.connectError(TCPConnector(resolver: names.configuration), target(server))
    }

    private func endedInOrder(_ state: Recorder.State) -> Bool {
        if case .some(.none) = state.closes.first { true } else { false }
    }

    @Test("messages go both ways, masked by us, and what came with the handshake is not lost")
    func bothWays() async throws {
        let (heads, seenHead) = AsyncStream.makeStream(of: String.self)
        let server = try server(early: WebSocketDecoderTests.frame(0x81, "early ")) { socket in
            seenHead.yield(socket.requestHead)
            while let frame = socket.read(), frame.first == 0x81 { socket.write(0x81, frame.payload) }
        }
        defer { server.stop() }
        let recorder = Recorder()
        let channel = try await connect(server, recorder)
        let large = pattern(70_000).map { $0 & 0x7f | 0x40 }
        await EventLoop.shared.perform {
            channel.send("hello ")
            channel.send(large)
        }
        let state = await recorder.wait { $0.bytes.count >= 12 + large.count || $0.isClosed }
        #expect(state.bytes == Array("early hello ".utf8) + large)
        #expect(await EventLoop.shared.perform { channel.tlsInformation }?.applicationProtocol == "http/1.1")
        await EventLoop.shared.perform { channel.close() }
        #expect(await recorder.wait { $0.isClosed }.closes.count == 1)
        #expect(endedInOrder(recorder.state))
        var iterator = heads.makeAsyncIterator()
        let head = await iterator.next() ?? ""
        #expect(head.hasPrefix("GET /xmpp-websocket HTTP/1.1\r\nHost: ws.test:\(server.port)\r\n"))
        #expect(!head.contains("Extensions"))
    }

    @Test("T001 the certificate names the host of the URL: one for the domain alone is refused")
    func identity() async throws {
        let server = try server("DNS:example.test") { _ = $0.read() }
        defer { server.stop() }
        let error = try await connectError(server)
        guard case .tls(let failure)? = error?.code else {
            Issue.record("\(error?.description ?? "it connected")")
            return
        }
        #expect(failure.code == .nameMismatch(presented: ["example.test"]))
    }

    @Test("another subprotocol, and what is no WebSocket at all, is refused")
    func refused() async throws {
        let context = TestTLSContext("DNS:ws.test")
        let scripts: [@Sendable (TestPeer) -> Void] = [
            { peer in _ = TestWebSocket(peer, subprotocol: "mqtt") },
            { peer in peer.write("HTTP/1.1 200 OK\r\n\r\n") },
            { peer in peer.write("<stream:stream>") },
            { _ in },
        ]
        for script in scripts {
            let server = try TestServer { peer in
                guard peer.acceptTLS(context) else { return }
                script(peer)
                peer.endTLS()
            }
            defer { server.stop() }
            let error = try await connectError(server)
            switch error?.code {
            case .webSocket(.handshake)?, .reset?: break
            default: Issue.record("\(error?.description ?? "it connected")")
            }
        }
    }

    @Test("a ping is answered with its bytes, between the fragments of a message too")
    func ping() async throws {
        let (pongs, seen) = AsyncStream.makeStream(of: [UInt8].self)
        let server = try server { socket in
            socket.write(0x01, Array("a".utf8))
            socket.write(0x89, [1, 2, 3])
            if let frame = socket.read(), frame.first == 0x8a { seen.yield(frame.payload) }
            socket.write(0x80, Array("b".utf8))
            _ = socket.read()
        }
        defer { server.stop() }
        let recorder = Recorder()
        let channel = try await connect(server, recorder)
        var iterator = pongs.makeAsyncIterator()
        #expect(await iterator.next() == [1, 2, 3])
        #expect(await recorder.wait { $0.text == "ab" || $0.isClosed }.text == "ab")
        await EventLoop.shared.perform { channel.abort() }
    }

    @Test("T029 a close frame is the end in order, the end of TLS without one is not")
    func ends() async throws {
        for isOrderly in [true, false] {
            let (codes, seen) = AsyncStream.makeStream(of: [UInt8]?.self)
            let server = try server { socket in
                socket.write(0x81, Array("bye".utf8))
                if isOrderly {
                    socket.write(0x88, [3, 0xe8])
                    seen.yield(socket.read()?.payload)
                }
            }
            defer { server.stop() }
            let recorder = Recorder()
            let channel = try await connect(server, recorder)
            let state = await recorder.wait { $0.isClosed }
            #expect(state.text == "bye")
            if isOrderly {
                #expect(endedInOrder(state))
                var iterator = codes.makeAsyncIterator()
                #expect(await iterator.next() == [3, 0xe8])
            } else {
                guard case .truncated?? = state.closes.first?.map(\.code) else {
                    Issue.record("\(String(describing: state.closes))")
                    continue
                }
            }
            await EventLoop.shared.perform { channel.abort() }
        }
    }

    @Test(
        "a broken rule ends it with the right code, and what came before is delivered",
        arguments: [
            ([0x81, 0x81, 0, 0, 0, 0, 0x61], 1002), ([0xc1, 1, 0x61], 1002), ([0x82, 1, 0x61], 1003),
            ([0x81, 1, 0xff], 1007), ([0x81, 1, 0x21], 1008), ([0x81, 127, 0, 0, 0, 0, 0, 0x10, 0, 0], 1009),
        ] as [([UInt8], UInt16)])
    func violations(frame: [UInt8], code: UInt16) async throws {
        let (codes, seen) = AsyncStream.makeStream(of: [UInt8]?.self)
        let server = try server { socket in
            socket.peer.write(WebSocketDecoderTests.frame(0x81, "ok") + frame)
            seen.yield(socket.read()?.payload)
        }
        defer { server.stop() }
        let recorder = Recorder()
        let channel = try await connect(server, recorder)
        let state = await recorder.wait { $0.isClosed }
        #expect(state.text == "ok")
        guard case .webSocket(let error)?? = state.closes.first?.map(\.code) else {
            Issue.record("\(String(describing: state.closes))")
            return
        }
        #expect(error.closeCode == code)
        var iterator = codes.makeAsyncIterator()
        #expect(await iterator.next() == [UInt8(code >> 8), UInt8(code & 255)])
        await EventLoop.shared.perform { channel.abort() }
    }

    @Test("a paused channel delivers nothing, then everything")
    func pause() async throws {
        let server = try server(early: WebSocketDecoderTests.frame(0x81, "1")) { socket in
            socket.write(0x81, Array("2".utf8))
            _ = socket.read()
        }
        defer { server.stop() }
        let names = try names()
        defer { names.stop() }
        let channel = try await TCPConnector(resolver: names.configuration)
            .connect(to: target(server), loop: .shared, deadline: .seconds(20))
        let recorder = Recorder()
        await EventLoop.shared.perform {
            channel.pauseReading()
            channel.delegate = recorder
        }
        for _ in 0..<20 { await EventLoop.shared.perform {} }
        #expect(recorder.state.bytes.isEmpty)
        await EventLoop.shared.perform { channel.resumeReading() }
        #expect(await recorder.wait { $0.text == "12" || $0.isClosed }.text == "12")
        await EventLoop.shared.perform { channel.abort() }
    }
}
