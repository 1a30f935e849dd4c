// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport

/// A delegate that notes everything and lets a test wait for it.
final class Recorder: ByteChannelDelegate, Sendable {
    struct State {
        var bytes: [UInt8] = []
        var reads = 0
        var secured: [TLSInformation] = []
        var drains = 0
        var closes: [TransportError?] = []

        var text: String { String(decoding: bytes, as: UTF8.self) }
        var isClosed: Bool { !closes.isEmpty }
    }

    private struct Waiter {
        var id: Int
        var condition: (State) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct Storage {
        var state = State()
        var waiters: [Waiter] = []
        var nextID = 0
    }

    private let storage = Locked(Storage())
    private let onRead: @Sendable (Recorder, [UInt8]) -> Void
    private let onSecure: @Sendable () -> Void

    init(
        onRead: @escaping @Sendable (Recorder, [UInt8]) -> Void = { _, _ in },
        onSecure: @escaping @Sendable () -> Void = {}
    ) {
        self.onRead = onRead
        self.onSecure = onSecure
    }

    var state: State { storage.withLock { $0.state } }

    /// Waits until `condition` holds, or the test is cancelled for taking too long.
    @discardableResult
    func wait(_ condition: @escaping @Sendable (State) -> Bool) async -> State {
        let id = storage.withLock { storage in
            storage.nextID += 1
            return storage.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = storage.withLock { storage in
                    if condition(storage.state) || Task.isCancelled { return true }
                    storage.waiters.append(Waiter(id: id, condition: condition, continuation: continuation))
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            resume { $0.id == id }
        }
        return state
    }

    func channelDidRead(_ bytes: UnsafeRawBufferPointer) {
        let copy = Array(bytes)
        change {
            $0.bytes += copy
            $0.reads += 1
        }
        onRead(self, copy)
    }

    func channelDidSecure(_ information: TLSInformation) {
        change { $0.secured.append(information) }
        onSecure()
    }

    func channelDidDrain() {
        change { $0.drains += 1 }
    }

    func channelDidClose(_ error: TransportError?) {
        change { $0.closes.append(error) }
    }

    private func change(_ body: (inout State) -> Void) {
        let state = storage.withLock { storage in
            body(&storage.state)
            return storage.state
        }
        resume { $0.condition(state) }
    }

    private func resume(_ isMeant: (Waiter) -> Bool) {
        let ready = storage.withLock { storage in
            let ready = storage.waiters.filter(isMeant)
            storage.waiters.removeAll { waiter in ready.contains { $0.id == waiter.id } }
            return ready
        }
        for waiter in ready { waiter.continuation.resume() }
    }
}
