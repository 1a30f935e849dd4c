// SPDX-License-Identifier: Apache-2.0

/// Decides about a stream of bytes that somebody sends: in order, without gaps, in blocks as agreed, and no byte more than
/// was announced (XEP-0047 §2).
struct InBandReceiverStateMachine: Sendable, Equatable {
    enum Action: Sendable, Equatable {
        case acknowledge
        /// The block belongs to the file.
        case take
        /// Everything is there.
        case finish
        /// The stanza is refused, and the stream goes on as before.
        case refuse(StanzaError)
        /// The stanza is refused, and the stream is over.
        case fail(StanzaError, XMPPError)
    }

    enum Phase: Sendable, Equatable {
        case waiting, open, over
    }

    private(set) var phase = Phase.waiting
    /// Bytes that came.
    private(set) var count: Int64 = 0
    private var next: UInt16 = 0
    private var blockSize: Int
    private let byteCount: Int64?
    private let limit: Int64

    /// - Parameters:
    ///   - blockSize: The largest block that was agreed on.
    ///   - byteCount: So many bytes were announced, nil when none were.
    ///   - limit: No more are taken without.
    init(blockSize: Int, byteCount: Int64?, limit: Int64) {
        self.blockSize = blockSize
        self.byteCount = byteCount
        self.limit = byteCount ?? limit
    }

    mutating func opened(_ open: InBandOpen) -> Action {
        guard phase == .waiting else { return .refuse(StanzaError(.notAcceptable, kind: .cancel)) }
        // Messages are not acknowledged: whoever sends them cannot be slowed down.
        guard !open.usesMessages else {
            return .refuse(StanzaError(.notAcceptable, kind: .cancel, text: "only iq stanzas are taken"))
        }
        guard open.blockSize <= blockSize else { return .refuse(StanzaError(.resourceConstraint, kind: .modify)) }
        blockSize = open.blockSize
        phase = .open
        return .acknowledge
    }

    mutating func received(_ sequence: UInt16, count added: Int) -> Action {
        guard phase == .open else { return .refuse(StanzaError(.itemNotFound)) }
        guard sequence == next else {
            return over(.unexpectedRequest, "blocks of the file came out of order, or not at all")
        }
        guard added <= blockSize else { return over(.badRequest, "a block of the file is larger than agreed") }
        guard Int64(added) <= limit - count else {
            return over(.notAcceptable, "more than the \(limit) bytes of the file came")
        }
        next &+= 1
        count += Int64(added)
        return .take
    }

    mutating func closed() -> Action {
        guard phase == .open else { return .refuse(StanzaError(.itemNotFound)) }
        phase = .over
        guard let byteCount, byteCount != count else { return .finish }
        return .fail(
            StanzaError(.notAcceptable, kind: .cancel),
            XMPPError(.contentMismatch, "\(byteCount) bytes were announced and \(count) came"))
    }

    /// What cannot be read at all.
    mutating func malformed() -> Action { over(.badRequest, "a block of the file cannot be read") }

    private mutating func over(_ condition: StanzaError.Condition, _ reason: String) -> Action {
        phase = .over
        return .fail(StanzaError(condition, kind: .cancel), XMPPError(.transferFailed, reason))
    }
}
