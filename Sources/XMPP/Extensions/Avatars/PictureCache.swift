// SPDX-License-Identifier: Apache-2.0

/// Where pictures are kept by their names, so that each is fetched once, for however many people.
public protocol PictureCache: Sendable {
    /// The bytes under that name, nil when there are none; they are checked again before use.
    func picture(_ hash: PictureHash) async -> [UInt8]?
    /// Keeps a picture; it may be left out or thrown away later.
    func keep(_ picture: Picture) async
}

/// Keeps pictures in memory; the ones that were not used for longest go first.
///
/// Owner of its state: the actor.
public actor MemoryPictureCache: PictureCache {
    private let capacity: Int
    private var pictures: [PictureHash: (bytes: [UInt8], used: UInt64)] = [:]
    private var total = 0
    private var clock: UInt64 = 0

    /// Makes an empty cache.
    /// - Parameter capacity: The most bytes.
    ///   Defaults to 16 MiB.
    public init(capacity: Int = 16 << 20) { self.capacity = capacity }

    /// The bytes under that name.
    public func picture(_ hash: PictureHash) -> [UInt8]? {
        guard let found = pictures[hash]?.bytes else { return nil }
        clock &+= 1
        pictures[hash]?.used = clock
        return found
    }

    /// Keeps a picture, unless it alone is above the capacity.
    public func keep(_ picture: Picture) {
        guard pictures[picture.hash] == nil, picture.bytes.count <= capacity else { return }
        clock &+= 1
        pictures[picture.hash] = (picture.bytes, clock)
        total += picture.bytes.count
        while total > capacity, let oldest = pictures.min(by: { $0.value.used < $1.value.used }) {
            total -= oldest.value.bytes.count
            pictures[oldest.key] = nil
        }
    }
}
