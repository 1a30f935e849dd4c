// SPDX-License-Identifier: Apache-2.0

/// What became different between two looks at a list.
///
/// The first value of every live query holds the whole list as inserted.
public struct Changes<Row: Identifiable & Hashable & Sendable>: Sendable where Row.ID: Sendable {
    /// The whole list as it is now, in its order.
    public let rows: [Row]
    /// The rows that were not there before, in list order.
    public let inserted: [Row]
    /// The rows whose values changed, in list order.
    public let updated: [Row]
    /// The identifiers of the rows that are gone, in their former order.
    public let removed: [Row.ID]

    /// The identifiers of the rows that stand elsewhere among those that stayed, in list order: as few as explain the order.
    public let moved: [Row.ID]

    /// True when nothing changed.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && removed.isEmpty && moved.isEmpty }

    /// Compares two looks at a list by the identifiers of the rows.
    package init(from old: [Row], to new: [Row]) {
        if old.count == new.count, zip(old, new).allSatisfy({ $0.id == $1.id }) {
            // The same rows in the same places, as nearly always.
            rows = new
            updated = zip(old, new).lazy.filter { $0 != $1 }.map(\.1)
            (inserted, removed, moved) = ([], [], [])
            return
        }
        var before: [Row.ID: Int] = [:]
        before.reserveCapacity(old.count)
        for (index, row) in old.enumerated() { before[row.id] = index }
        var inserted: [Row] = []
        var updated: [Row] = []
        var stayed: [Int] = []
        for row in new {
            if let index = before.removeValue(forKey: row.id) {
                if old[index] != row { updated.append(row) }
                stayed.append(index)
            } else {
                inserted.append(row)
            }
        }
        rows = new
        self.inserted = inserted
        self.updated = updated
        removed = before.isEmpty ? [] : old.compactMap { before[$0.id] == nil ? nil : $0.id }
        moved = Self.outOfOrder(stayed).map { old[$0].id }
    }

    /// Which numbers have to be taken out so that the rest ascends; as few as possible.
    private static func outOfOrder(_ numbers: [Int]) -> [Int] {
        var isAscending = true
        for index in numbers.indices.dropFirst() where numbers[index] < numbers[index - 1] {
            isAscending = false
            break
        }
        if isAscending { return [] }
        // The longest ascending run: for each length the place of its smallest end, and what comes before each place.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            previous[place] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(place) } else { ends[low] = place }
        }
        var kept: Set<Int> = []
        var place = ends.last
        while let current = place {
            kept.insert(numbers[current])
            place = previous[current]
        }
        return numbers.filter { !kept.contains($0) }
    }
}
