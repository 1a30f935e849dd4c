// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing
import TransportTesting

@Suite("TCPChannel", .timeLimit(.minutes(1)))
struct TCPChannelTests {
    private let loop = EventLoop.shared

    @Test("bytes go both ways and the peer's FIN is a clean end")
    func echo() async throws {
        let server = try TestServer { peer in
            peer.write("hello " + peer.read(through: "!"))
        }
        defer { server.stop() }
        let recorder = Recorder()
        let channel = try await open(server, recorder)
        await loop.perform { channel.send("world!") }
        let state = await recorder.wait { $0.isClosed }
        #expect(state.text == "hello world!")
        #expect(state.closes.count == 1 && state.closes[0] == nil)
    }

    @Test("nothing is read before there is a delegate, and nothing is lost")
    func noDelegate() async throws {
        let server = try TestServer { peer in
            peer.write("early")
            _ = peer.readToEnd()
        }
        defer { server.stop() }
        let channel = try await TCPConnector().connect(
            to: testTarget("example.test", server.endpoint), loop: .shared, deadline: .seconds(20))
        for _ in 0..<20 { await loop.perform {} }
        let recorder = Recorder()
        await loop.perform { channel.delegate = recorder }
        #expect(await recorder.wait { $0.bytes.count == 5 }.text == "early")
        await loop.perform { channel.abort() }
    }

    @Test("a stream that comes byte by byte arrives whole")
    func byteByByte() async throws {
        let server = try TestServer { peer in
            for byte in "0123456789".utf8 {
                peer.write([byte])
                peer.read(through: ".")
            }
        }
        defer { server.stop() }
        let channel = try await TCPConnector().connect(
            to: testTarget("example.test", server.endpoint), loop: .shared, deadline: .seconds(20))
        let recorder = Recorder(onRead: { _, _ in channel.send(".") })
        await loop.perform { channel.delegate = recorder }
        let state = await recorder.wait { $0.isClosed }
        #expect(state.text == "0123456789")
        #expect(state.reads == 10)
    }

    @Test("10 MB arrive whole, in reads of at most 64 KiB")
    func bulkRead() async throws {
        let data = pattern(10_000_000)
        let server = try TestServer { $0.write(data) }
        defer { server.stop() }
        let largest = Locked(0)
        let recorder = Recorder(onRead: { _, bytes in largest.withLock { $0 = max($0, bytes.count) } })
        let channel = try await open(server, recorder)
        await recorder.wait { $0.isClosed }
        withExtendedLifetime(channel) {}
        #expect(recorder.state.bytes == data)
        #expect(largest.withLock { $0 } <= 65536)
    }

    @Test("10 MB that the kernel does not take at once are queued, arrive whole, and the memory is given back")
    func bulkWrite() async throws {
        let data = pattern(10_000_000)
        let received = Locked<[UInt8]>([])
        let server = try TestServer { peer in
            var bytes: [UInt8] = []
            while bytes.count < data.count {
                let more = peer.readSome()
                guard !more.isEmpty else { break }
                bytes += more
            }
            received.withLock { [bytes] in $0 = bytes }
            peer.write("done")
        }
        defer { server.stop() }
        let recorder = Recorder()
        let channel = try await open(server, recorder)
        let pending = await loop.perform {
            channel.send(data)
            return channel.pendingBytes
        }
        #expect(pending > 0)
        await recorder.wait { $0.isClosed }
        #expect(recorder.state.text == "done")
        #expect(recorder.state.drains == 1)
        #expect(received.withLock { $0 } == data)
    }

    @Test("RST is told from a clean end")
    func reset() async throws {
        let server = try TestServer { peer in
            peer.read(through: "!")
            peer.reset()
        }
        defer { server.stop() }
        let recorder = Recorder()
        let channel = try await open(server, recorder)
        await loop.perform { channel.send("!") }
        let state = await recorder.wait { $0.isClosed }
        guard case .reset? = state.closes[0]?.code else {
            Issue.record("\(String(describing: state.closes[0]))")
            return
        }
    }

    @Test("the peer may end its half first and still get what we send in answer")
    func halfClose() async throws {
        let received = Locked("")
        let server = try TestServer { peer in
            peer.write("bye")
            let bytes = peer.read(through: "bye")
            received.withLock { $0 = bytes }
            peer.endWriting()
            _ = peer.readToEnd()
        }
        defer { server.stop() }
        let box = Locked<(any ByteChannel)?>(nil)
        let recorder = Recorder()
        let channel = try await open(server, recorder)
        box.withLock { $0 = channel }
        await recorder.wait { $0.text == "bye" }
        await loop.perform {
            channel.send("good")
            channel.send("bye")
            channel.close()
        }
        let state = await recorder.wait { $0.isClosed }
        #expect(state.closes.count == 1 && state.closes[0] == nil)
        #expect(received.withLock { $0 } == "goodbye")
    }

    @Test("close sends what is pending first")
    func closeFlushes() async throws {
        let count = Locked(0)
        let server = try TestServer { peer in
            let bytes = peer.readToEnd()
            count.withLock { $0 = bytes.count }
        }
        defer { server.stop() }
        let recorder = Recorder()
        let channel = try await open(server, recorder)
        await loop.perform {
            channel.send([UInt8](repeating: 7, count: 5_000_000))
            channel.close()
            // Ignored: the channel is closed.
            channel.send("more")
        }
        await recorder.wait { $0.isClosed }
        #expect(count.withLock { $0 } == 5_000_000)
    }

    @Test("close does not wait for ever for a peer that neither reads nor ends")
    func closeIsBounded() async throws {
        let isOver = Locked(false)
        let server = try TestServer { peer in
            while !isOver.withLock({ $0 }) { _ = peer.readSome(1) }
        }
        defer { server.stop() }
        let recorder = Recorder()
        let channel = try await open(server, recorder)
        let start = MonotonicTime.now()
        await loop.perform {
            channel.send([UInt8](repeating: 7, count: 20_000_000))
            channel.close()
        }
        let state = await recorder.wait { $0.isClosed }
        isOver.withLock { $0 = true }
        #expect(state.closes[0] == nil)
        #expect((Duration.milliseconds(1900) ... .seconds(10)).contains(start.duration(to: .now())))
    }

    @Test("abort ends at once and the delegate hears nothing more")
    func abort() async throws {
        let server = try TestServer { peer in while peer.write("noise") {} }
        defer { server.stop() }
        let recorder = Recorder()
        let channel = try await open(server, recorder)
        await recorder.wait { $0.reads > 0 }
        let reads = await loop.perform {
            channel.send([UInt8](repeating: 7, count: 5_000_000))
            channel.abort()
            return recorder.state.reads
        }
        for _ in 0..<20 { await loop.perform {} }
        #expect(recorder.state.reads == reads)
        #expect(!recorder.state.isClosed)
        #expect(await loop.perform { channel.pendingBytes } == 0)
    }

    @Test("closing and aborting inside a read callback is safe", arguments: [true, false])
    func reentrant(aborts: Bool) async throws {
        let server = try TestServer { peer in
            peer.write("x")
            _ = peer.readToEnd()
        }
        defer { server.stop() }
        let channel = try await TCPConnector().connect(
            to: testTarget("example.test", server.endpoint), loop: .shared, deadline: .seconds(20))
        let recorder = Recorder(onRead: { recorder, _ in
            if aborts { channel.abort() } else { channel.close() }
            #expect(!recorder.state.isClosed)
        })
        await loop.perform { channel.delegate = recorder }
        await recorder.wait { $0.reads == 1 && (aborts || $0.isClosed) }
        #expect(recorder.state.closes.count == (aborts ? 0 : 1))
    }

    @Test("T064 a paused channel takes nothing more from the socket, and goes on where it stopped")
    func pause() async throws {
        let data = pattern(3_000_000)
        let server = try TestServer { $0.write(data) }
        defer { server.stop() }
        let channel = try await TCPConnector().connect(
            to: testTarget("example.test", server.endpoint), loop: .shared, deadline: .seconds(20))
        let recorder = Recorder(onRead: { _, _ in channel.pauseReading() })
        await loop.perform { channel.delegate = recorder }
        var reads = 0
        while !recorder.state.isClosed {
            await recorder.wait { [reads] in $0.reads > reads || $0.isClosed }
            for _ in 0..<3 { await loop.perform {} }
            #expect(recorder.state.reads <= reads + 1)
            reads = recorder.state.reads
            await loop.perform { channel.resumeReading() }
        }
        #expect(recorder.state.bytes == data)
    }

    @Test("a peer that goes while reading is paused costs no CPU and is noticed on resuming")
    func resetWhilePaused() async throws {
        let server = try TestServer { peer in
            peer.write("last words")
            peer.read(through: "!")
            peer.reset()
        }
        defer { server.stop() }
        let channel = try await TCPConnector().connect(
            to: testTarget("example.test", server.endpoint), loop: .shared, deadline: .seconds(20))
        let recorder = Recorder(onRead: { _, _ in channel.pauseReading() })
        await loop.perform { channel.delegate = recorder }
        await recorder.wait { $0.reads == 1 }
        await loop.perform { channel.send("!") }
        // An idle loop sleeps: a busy one would spend most of this time.
        let before = ProcessorTime.ofThread(await loop.perform { ProcessorTime.clockOfThread() })
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            _ = EventLoop.shared.schedule(after: .milliseconds(200)) { continuation.resume() }
        }
        let spent = ProcessorTime.ofThread(await loop.perform { ProcessorTime.clockOfThread() }) - before
        #expect(spent < .milliseconds(150))
        #expect(!recorder.state.isClosed)
        await loop.perform { channel.resumeReading() }
        let state = await recorder.wait { $0.isClosed }
        #expect(state.closes[0] != nil)
    }

    @Test("what the kernel takes at once is not pending; what it does not is reported when it has drained")
    func drains() async throws {
        let server = try TestServer { peer in
            peer.read(through: "go")
            _ = peer.readToEnd()
        }
        defer { server.stop() }
        let recorder = Recorder()
        let channel = try await open(server, recorder)
        let small = await loop.perform {
            channel.send("direct")
            return channel.pendingBytes
        }
        #expect(small == 0)
        #expect(recorder.state.drains == 0)
        let large = await loop.perform {
            channel.send("go")
            channel.send([UInt8](repeating: 32, count: 20_000_000))
            return channel.pendingBytes
        }
        #expect(large > 0)
        await recorder.wait { $0.drains == 1 }
        #expect(await loop.perform { channel.pendingBytes } == 0)
        await loop.perform { channel.abort() }
    }
}
