// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import TransportTesting

extension EventLoop {
    /// Runs `body` on the loop's thread and waits for it.
    func perform<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            execute { continuation.resume(returning: body()) }
        }
    }
}

extension ByteChannel {
    func send(_ text: String) {
        Array(text.utf8).withUnsafeBytes { write($0) }
    }

    func send(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { write($0) }
    }
}

/// Trust in the tests' authority only.
let testTrust = TLSTrust(usesSystemRoots: false, authorityFiles: [TestCertificates.shared.authorityFile])

func testTarget(
    _ domain: String = "example.test", _ override: Endpoint? = nil, security: ConnectTarget.Security = .any
) -> ConnectTarget {
    ConnectTarget(domain: domain, trust: testTrust, override: override, security: security)
}

/// Connects to a server of the test; the recorder is the delegate from the start.
func open(
    _ server: TestServer, direct: Bool = false, _ recorder: Recorder
) async throws -> any ByteChannel {
    let endpoint = direct ? server.directEndpoint : server.endpoint
    let channel = try await TCPConnector().connect(
        to: testTarget("example.test", endpoint), loop: .shared, deadline: .seconds(20))
    await EventLoop.shared.perform { channel.delegate = recorder }
    return channel
}

func connectError(
    _ connector: TCPConnector, _ target: ConnectTarget, deadline: Duration = .seconds(20)
) async -> TransportError? {
    do {
        let channel = try await connector.connect(to: target, loop: .shared, deadline: deadline)
        await EventLoop.shared.perform { channel.abort() }
        return nil
    } catch {
        return error
    }
}

/// Bytes whose order can be told: a block of a prime number of bytes, repeated.
func pattern(_ count: Int) -> [UInt8] {
    let block = (0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes += block }
    return Array(bytes.prefix(count))
}
