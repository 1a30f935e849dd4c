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

    /// True when nothing but the order can have changed.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && removed.isEmpty }

    /// Compares two looks at a list by the identifiers of the rows.
    package init(from old: [Row], to new: [Row]) {
        var before: [Row.ID: Row] = [:]
        before.reserveCapacity(old.count)
        for row in old { before[row.id] = row }
        var inserted: [Row] = []
        var updated: [Row] = []
        for row in new {
            if let known = before.removeValue(forKey: row.id) {
                if known != row { updated.append(row) }
            } else {
                inserted.append(row)
            }
        }
        rows = new
        self.inserted = inserted
        self.updated = updated
        removed = before.isEmpty ? [] : old.compactMap { before[$0.id] == nil ? nil : $0.id }
    }
}
