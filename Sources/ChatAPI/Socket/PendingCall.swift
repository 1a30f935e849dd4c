// SPDX-License-Identifier: Apache-2.0

// Confined to `FrameChannel.queue`: one call under way.
final class PendingCall: @unchecked Sendable {
    var continuation: CheckedContinuation<Result<[UInt8], ChatAPIError>, Never>?
    var isCancelled = false

    func finish(_ result: Result<[UInt8], ChatAPIError>) {
        continuation?.resume(returning: result)
        continuation = nil
    }
}

// Confined to `FrameChannel.queue`: one stream under way, with the events that its reader has not taken.
final class PendingStream: @unchecked Sendable {
    private var lines: [[UInt8]] = []
    private var taken = 0
    private var ending: Result<Void, ChatAPIError>?
    private var continuation: CheckedContinuation<Result<[UInt8]?, ChatAPIError>, Never>?
    /// Events that the core has been allowed to send beyond those that came.
    private var credit = Wire.credit
    /// Events taken that the core has not been told of.
    private var owed = 0
    /// Nobody reads any more.
    var isFinished = false

    /// Keeps an event for the reader; false when the core sent more than it was allowed to.
    func push(_ line: [UInt8]) -> Bool {
        guard credit > 0 else { return false }
        credit -= 1
        if let continuation {
            self.continuation = nil
            owed += 1
            continuation.resume(returning: .success(line))
        } else {
            lines.append(line)
        }
        return true
    }

    /// No more events come; those kept are still given out.
    func end(_ result: Result<Void, ChatAPIError>) {
        if ending == nil { ending = result }
        if let continuation {
            self.continuation = nil
            continuation.resume(returning: result.map { nil })
        }
    }

    func next(_ continuation: CheckedContinuation<Result<[UInt8]?, ChatAPIError>, Never>) {
        if taken < lines.count {
            let line = lines[taken]
            taken += 1
            owed += 1
            if taken == lines.count { (lines, taken) = ([], 0) }
            continuation.resume(returning: .success(line))
        } else if let ending {
            continuation.resume(returning: ending.map { nil })
        } else if self.continuation != nil {
            continuation.resume(returning: .failure(ChatAPIError(.fault, "a stream of events has two readers")))
        } else {
            self.continuation = continuation
        }
    }

    /// How much credit to give the core now: nothing until half of the window has been read.
    func takeOwedCredit() -> Int? {
        guard owed >= Wire.credit / 2, ending == nil else { return nil }
        defer { owed = 0 }
        credit += owed
        return owed
    }
}
