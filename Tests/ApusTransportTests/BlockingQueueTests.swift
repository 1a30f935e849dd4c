// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Testing

@testable import ApusTransport

@Suite("BlockingQueue", .timeLimit(.minutes(1)))
struct BlockingQueueTests {
    private struct Refused: Error, Equatable {}

    @Test("what waits there keeps no thread of the shared pool")
    func apart() async {
        let gate = DispatchSemaphore(value: 0)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount
        let calls = (0..<count).map { _ in
            Task {
                await BlockingQueue.shared.run {
                    beginning.yield()
                    return gate.wait(timeout: .now() + 10) == .success
                }
            }
        }
        var waiting = 0
        for await _ in begun {
            waiting += 1
            if waiting == count { break }
        }
        for _ in 0..<count { gate.signal() }
        for call in calls { #expect(await call.value) }
    }

    @Test("what fails there is thrown as what it is")
    func failure() async {
        await #expect(throws: Refused()) {
            try await BlockingQueue("test").run { () throws(Refused) in throw Refused() }
        }
    }
}
