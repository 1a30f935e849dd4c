// SPDX-License-Identifier: Apache-2.0

/// Decides what of a file goes out next: a block, when the one before was acknowledged (XEP-0047 §2).
struct InBandSenderStateMachine: Sendable, Equatable {
    enum Action: Sendable, Equatable {
        case open(blockSize: Int)
        case send(sequence: UInt16, offset: Int64, count: Int)
        case close
        case finished
        case fail
    }

    private(set) var blockSize: Int
    private(set) var offset: Int64
    private let end: Int64
    private var next: UInt16 = 0
    private var isOpen = false
    private var isClosing = false

    init(bytes: Range<Int64>, blockSize: Int) {
        offset = bytes.lowerBound
        end = bytes.upperBound
        self.blockSize = min(max(1, blockSize), InBand.largestBlock)
    }

    func start() -> Action { .open(blockSize: blockSize) }

    /// The other side agreed with the last thing.
    mutating func acknowledged() -> Action {
        if isClosing { return .finished }
        isOpen = true
        let count = Int(min(Int64(blockSize), end - offset))
        guard count > 0 else {
            isClosing = true
            return .close
        }
        defer {
            offset += Int64(count)
            next &+= 1
        }
        return .send(sequence: next, offset: offset, count: count)
    }

    /// The other side refused; smaller blocks may do before anything was sent (§2.1).
    mutating func refused(_ error: StanzaError) -> Action {
        // Whoever is done may have closed first.
        if isClosing { return .finished }
        guard !isOpen, error.condition == .resourceConstraint, blockSize > InBand.smallestBlock else { return .fail }
        blockSize = max(InBand.smallestBlock, blockSize / 2)
        return .open(blockSize: blockSize)
    }
}
