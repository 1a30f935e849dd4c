// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Glibc
import Testing

@testable import ApusDesktop

@Suite("DesktopNotifier", .timeLimit(.minutes(1)))
struct DesktopNotifierTests {
    @Test("a bus that does not answer keeps only those waiting who want it, and they go when it does")
    func silent() async throws {
        let bus = try SilentBus()
        // More than the shared pool has threads.
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount
        let address = bus.address
        let began = ContinuousClock.now
        let openings = (0..<count).map { _ in
            Task { await DesktopNotifier.open(address: address, patience: .seconds(20)) == nil }
        }
        var connected = 0
        for await _ in bus.connections {
            connected += 1
            if connected == count { break }
        }
        #expect(ContinuousClock.now - began < .seconds(10))
        bus.end()
        for opening in openings { #expect(await opening.value) }
        #expect(ContinuousClock.now - began < .seconds(15))
    }

    @Test("a bus that does not answer is given up in time")
    func deadline() async throws {
        let bus = try SilentBus()
        let began = ContinuousClock.now
        #expect(await DesktopNotifier.open(address: bus.address, patience: .milliseconds(200)) == nil)
        #expect(ContinuousClock.now - began < .seconds(10))
        bus.end()
    }

    @Test("where no bus is there is no desktop")
    func missing() async {
        #expect(await DesktopNotifier.open(address: "unix:path=/nonexistent/bus") == nil)
    }
}

/// A socket that takes connections and says nothing.
// Unchecked: what changes is used on the queue only.
private final class SilentBus: @unchecked Sendable {
    let path = NSTemporaryDirectory() + "apus-bus-" + UUID().uuidString.prefix(8)
    var address: String { "unix:path=" + path }
    /// Tells of each connection, for one reader.
    let connections: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation
    private let queue = DispatchQueue(label: "silent-bus")
    private let source: any DispatchSourceRead
    private var open: [Int32] = []

    init() throws {
        (connections, feed) = AsyncStream.makeStream()
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) == 0 }
        }
        try #require(isBound && listen(listener, 128) == 0)
        source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
        source.setCancelHandler { close(listener) }
        source.setEventHandler { [weak self] in
            guard let self else { return }
            open.append(accept(listener, nil, nil))
            feed.yield()
        }
        source.activate()
    }

    func end() {
        queue.sync {
            source.cancel()
            for connection in open { close(connection) }
            open = []
        }
        unlink(path)
    }
}
