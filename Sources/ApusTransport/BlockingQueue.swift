// SPDX-License-Identifier: Apache-2.0
internal import Dispatch

/// Where calls wait that block on a disk or on another process.
///
/// Its threads are none of the shared pool, which has no more than the machine has processors: when as many of those wait,
/// everything does.
package struct BlockingQueue: Sendable {
    private let queue: DispatchQueue

    /// For calls that need no order.
    package static let shared = BlockingQueue(DispatchQueue(label: "apus.blocking", attributes: .concurrent))

    /// A queue whose calls come one after another.
    package init(_ label: String) { self.init(DispatchQueue(label: label)) }

    private init(_ queue: DispatchQueue) { self.queue = queue }

    /// Does the work there, and returns with what came of it.
    ///
    /// Cancelling does not end it.
    package func run<Result: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let result: Swift.Result<Result, Failure> = await withCheckedContinuation { continuation in
            queue.async {
                do throws(Failure) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
