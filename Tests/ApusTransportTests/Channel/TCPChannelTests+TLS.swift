// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import Testing
import TransportTesting

@Suite("TCPChannel with TLS", .timeLimit(.minutes(1)))
struct TCPChannelTLSTests {
    private let loop = EventLoop.shared
    private let context = TestTLSContext("DNS:example.test")

    /// Says "proceed", takes TLS, then runs `script`.
    private func starttls(_ script: @escaping @Sendable (TestPeer) -> Void) throws -> TestServer {
        try TestServer { [context] peer in
            peer.read(through: "starttls")
            peer.write("proceed")
            guard peer.acceptTLS(context) else { return }
            script(peer)
        }
    }

    /// Starts TLS on "proceed"; what follows it in the same read is handed back as unread.
    private func upgrade(
        _ server: TestServer, domain: String = "example.test", and more: @escaping @Sendable () -> Void = {}
    ) async throws -> (any ByteChannel, Recorder) {
        let channel = try await TCPConnector().connect(
            to: testTarget(domain, server.endpoint), loop: .shared, deadline: .seconds(20))
        let recorder = Recorder(onRead: { recorder, bytes in
            guard channel.tlsInformation == nil, recorder.state.text.contains("proceed") else { return more() }
            let rest = bytes.drop { $0 != UInt8(ascii: "d") }.dropFirst()
            Array(rest).withUnsafeBytes { channel.startTLS(testTarget(domain).tls, unread: $0) }
        })
        await loop.perform {
            channel.delegate = recorder
            channel.send("starttls")
        }
        return (channel, recorder)
    }

    @Test("STARTTLS in the middle of the stream, then both ways, then close_notify as a clean end")
    func upgrade() async throws {
        let server = try starttls { peer in
            peer.write("secret " + peer.read(through: "!"))
            peer.endTLS()
        }
        defer { server.stop() }
        let (channel, recorder) = try await upgrade(server)
        let secured = await recorder.wait { !$0.secured.isEmpty || $0.isClosed }
        #expect(secured.secured.count == 1)
        #expect(secured.secured.first?.isTLS13 == true)
        await loop.perform { channel.send("hello!") }
        let state = await recorder.wait { $0.isClosed }
        #expect(state.text == "proceedsecret hello!")
        #expect(state.closes.count == 1 && state.closes[0] == nil)
    }

    @Test("bytes written before the handshake is done wait for it")
    func earlyWrites() async throws {
        let server = try starttls { peer in
            peer.write(peer.read(through: "!"))
            peer.endTLS()
        }
        defer { server.stop() }
        let channel = try await TCPConnector().connect(
            to: testTarget("example.test", server.endpoint), loop: .shared, deadline: .seconds(20))
        let recorder = Recorder(onRead: { recorder, bytes in
            guard recorder.state.text == "proceed" else { return }
            channel.startTLS(testTarget().tls)
            channel.send("too ")
            channel.send("early!")
        })
        await loop.perform {
            channel.delegate = recorder
            channel.send("starttls")
        }
        #expect(await recorder.wait { $0.isClosed }.text == "proceedtoo early!")
    }

    @Test("plaintext behind <proceed/> is taken for TLS, never given to the delegate")
    func injected() async throws {
        let server = try TestServer { peer in
            peer.read(through: "starttls")
            peer.write("proceed<message>injected</message>")
            _ = peer.readToEnd()
        }
        defer { server.stop() }
        let (_, recorder) = try await upgrade(server)
        let state = await recorder.wait { $0.isClosed }
        #expect(state.reads == 1)
        guard case .tls? = state.closes[0]?.code else {
            Issue.record("\(String(describing: state.closes[0]))")
            return
        }
    }

    @Test("T029 FIN without close_notify is a truncation, half a stanza or not", arguments: ["<message>half", ""])
    func truncated(rest: String) async throws {
        let server = try starttls { peer in
            peer.read(through: "!")
            peer.write(rest)
            peer.endWriting()
        }
        defer { server.stop() }
        let (channel, recorder) = try await upgrade(server)
        await recorder.wait { !$0.secured.isEmpty }
        await loop.perform { channel.send("!") }
        let state = await recorder.wait { $0.isClosed }
        guard case .truncated? = state.closes[0]?.code else {
            Issue.record("\(String(describing: state.closes[0]))")
            return
        }
        #expect(state.text == "proceed" + rest)
    }

    @Test("the end of TCP during the handshake is an error of TLS")
    func cutHandshake() async throws {
        let server = try TestServer { peer in
            peer.read(through: "starttls")
            peer.write("proceed")
            _ = peer.readSome()
            peer.endWriting()
        }
        defer { server.stop() }
        let (_, recorder) = try await upgrade(server)
        let state = await recorder.wait { $0.isClosed }
        guard case .tls(let error)? = state.closes[0]?.code else {
            Issue.record("\(String(describing: state.closes[0]))")
            return
        }
        #expect(error.code == .closedInHandshake)
        #expect(state.secured.isEmpty)
    }

    @Test("a wrong certificate closes the channel before anything is sent through TLS")
    func wrongName() async throws {
        let received = Locked<[UInt8]?>(nil)
        let server = try starttls { peer in
            let bytes = peer.readToEnd()
            received.withLock { $0 = bytes }
        }
        defer { server.stop() }
        let (_, recorder) = try await upgrade(server, domain: "other.test")
        let state = await recorder.wait { $0.isClosed }
        #expect(state.closes[0]?.isCertificateFailure == true)
        #expect(state.secured.isEmpty)
        #expect((received.withLock { $0 } ?? []).isEmpty)
    }

    @Test("direct TLS: the delegate hears of it before the first byte")
    func direct() async throws {
        let server = try TestServer { [context] peer in
            guard peer.acceptTLS(context) else { return }
            peer.write("at once")
            _ = peer.readToEnd()
        }
        defer { server.stop() }
        let order = Locked<[String]>([])
        let channel = try await TCPConnector().connect(
            to: testTarget("example.test", server.directEndpoint), loop: .shared, deadline: .seconds(20))
        for _ in 0..<20 { await loop.perform {} }
        let recorder = Recorder(
            onRead: { _, _ in order.withLock { $0.append("read") } },
            onSecure: { order.withLock { $0.append("secure") } })
        await loop.perform { channel.delegate = recorder }
        #expect(await recorder.wait { $0.bytes.count == 7 }.text == "at once")
        await loop.perform {}
        #expect(order.withLock { $0 }.prefix(2) == ["secure", "read"])
        #expect(recorder.state.secured.first == channel.tlsInformation)
        await loop.perform { channel.abort() }
    }

    @Test("10 MB both ways through TLS")
    func bulk() async throws {
        let data = pattern(10_000_000)
        let server = try starttls { peer in
            var bytes: [UInt8] = []
            while bytes.count < data.count {
                let more = peer.readSome()
                guard !more.isEmpty else { break }
                bytes += more
            }
            peer.write(bytes)
            peer.endTLS()
        }
        defer { server.stop() }
        let (channel, recorder) = try await upgrade(server)
        await recorder.wait { !$0.secured.isEmpty }
        await loop.perform { channel.send(data) }
        let state = await recorder.wait { $0.isClosed }
        #expect(state.bytes.count == data.count + 7)
        #expect(Array(state.bytes.dropFirst(7)) == data)
        #expect(state.drains >= 1)
    }

    @Test("the writes of one turn leave in one record")
    func joined() async throws {
        let sizes = Locked<[Int]>([])
        let server = try starttls { peer in
            // SSL_read gives at most one record.
            while true {
                let count = peer.readSome().count
                guard count > 0 else { break }
                sizes.withLock { $0.append(count) }
            }
        }
        defer { server.stop() }
        let (channel, recorder) = try await upgrade(server)
        await recorder.wait { !$0.secured.isEmpty }
        await loop.perform {
            for _ in 0..<100 { channel.send("twenty bytes of text") }
        }
        await recorder.wait { $0.drains == 1 }
        await loop.perform { channel.close() }
        await recorder.wait { $0.isClosed }
        #expect(sizes.withLock { $0 } == [2000])
    }

    @Test("close flushes, and ends with close_notify")
    func closes() async throws {
        let received = Locked(0)
        let server = try starttls { peer in
            let bytes = peer.readToEnd()
            received.withLock { $0 = bytes.count }
        }
        defer { server.stop() }
        let (channel, recorder) = try await upgrade(server)
        await recorder.wait { !$0.secured.isEmpty }
        await loop.perform {
            channel.send([UInt8](repeating: 1, count: 3_000_000))
            channel.close()
        }
        let state = await recorder.wait { $0.isClosed }
        #expect(state.closes[0] == nil)
        #expect(received.withLock { $0 } == 3_000_000)
    }

    @Test("pausing stops the decrypted bytes, too")
    func pause() async throws {
        let data = pattern(1_000_000)
        let server = try starttls { peer in
            peer.read(through: "!")
            peer.write(data)
            peer.endTLS()
        }
        defer { server.stop() }
        let box = Locked<(any ByteChannel)?>(nil)
        let (channel, recorder) = try await upgrade(server) { box.withLock { $0 }?.pauseReading() }
        box.withLock { $0 = channel }
        await recorder.wait { !$0.secured.isEmpty }
        var reads = recorder.state.reads
        await loop.perform { channel.send("!") }
        while !recorder.state.isClosed {
            await recorder.wait { [reads] in $0.reads > reads || $0.isClosed }
            for _ in 0..<3 { await loop.perform {} }
            #expect(recorder.state.reads <= reads + 1)
            reads = recorder.state.reads
            await loop.perform { channel.resumeReading() }
        }
        #expect(Array(recorder.state.bytes.dropFirst(7)) == data)
    }

    @Test("TLS that cannot be set up is reported at the end of the turn, not inside the call")
    func unusableConfiguration() async throws {
        let server = try TestServer { _ = $0.readToEnd() }
        defer { server.stop() }
        let recorder = Recorder()
        let channel = try await open(server, recorder)
        let trust = TLSTrust(usesSystemRoots: false, authorityFiles: ["/nonexistent/authority.pem"])
        let wasClosed = await loop.perform {
            channel.startTLS(TLSConfiguration(identity: .domain("example.test"), trust: trust))
            return recorder.state.isClosed
        }
        #expect(!wasClosed)
        let state = await recorder.wait { $0.isClosed }
        guard case .tls(let error)? = state.closes[0]?.code, case .unreadableAuthority = error.code else {
            Issue.record("\(String(describing: state.closes[0]))")
            return
        }
    }
}
