// SPDX-License-Identifier: Apache-2.0

/// Decides how a file gets to the server: a place, the file, and after a failure another place and all of the file again
/// (XEP-0363 §7).
struct UploadStateMachine: Sendable, Equatable {
    enum Action: Sendable, Equatable {
        case requestSlot
        case put(UploadSlot)
        /// The file is there, and only now anybody may be told.
        case finished(UploadSlot)
        case fail(XMPPError)
    }

    /// So often the file is sent at most.
    static let attempts = 3

    private var attemptsLeft = Self.attempts
    private var slot: UploadSlot?

    mutating func start() -> Action {
        attemptsLeft -= 1
        slot = nil
        return .requestSlot
    }

    mutating func received(_ slot: UploadSlot) -> Action {
        self.slot = slot
        return .put(slot)
    }

    /// The server answered with that status when it had the file.
    mutating func answered(_ status: Int, host: String) -> Action {
        guard let slot else { return .fail(.status(status, host: host)) }
        switch status {
        case 200, 201, 204: return .finished(slot)
        // The place may have been given to somebody else, or is too old.
        case 403, 404, 409, 410: return again(.status(status, host: host))
        default:
            let error = XMPPError.status(status, host: host)
            return error.isRetryable ? again(error) : .fail(error)
        }
    }

    /// The file did not get there, or the place was not given.
    mutating func failed(_ error: XMPPError) -> Action {
        slot != nil && error.isRetryable ? again(error) : .fail(error)
    }

    private mutating func again(_ error: XMPPError) -> Action { attemptsLeft > 0 ? start() : .fail(error) }
}
