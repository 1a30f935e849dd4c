// SPDX-License-Identifier: Apache-2.0

/// Finds what belongs to an entity, and to what belongs to it, step by step and within bounds (XEP-0030 §4).
///
/// A list can be endless and lead back to where it came from: nothing is asked twice, nothing deeper than the depth, and
/// nothing once the cap is reached (T082).
package struct DiscoWalk: Sendable, Hashable {
    package struct Place: Sendable, Hashable {
        package var jid: JID
        package var node: String?

        package init(jid: JID, node: String? = nil) {
            self.jid = jid
            self.node = node
        }
    }

    private let depth: Int
    private let cap: Int
    private var waiting: [(place: Place, depth: Int)] = []
    private var seen: Set<Place>
    package private(set) var found: [DiscoItem] = []
    /// More was there than the bounds permit.
    package private(set) var isCut = false

    package init(from root: Place, depth: Int, cap: Int) {
        self.depth = depth
        self.cap = cap
        seen = [root]
        waiting = depth > 0 ? [(root, 0)] : []
    }

    /// What to ask next, nil at the end.
    package mutating func next() -> (place: Place, depth: Int)? {
        waiting.isEmpty || found.count >= cap ? nil : waiting.removeFirst()
    }

    /// What was found at a place.
    package mutating func received(_ items: [DiscoItem], at depth: Int) {
        for item in items {
            guard found.count < cap else {
                isCut = true
                return
            }
            let place = Place(jid: item.jid, node: item.node)
            guard seen.insert(place).inserted else { continue }
            found.append(item)
            if depth + 1 < self.depth { waiting.append((place, depth + 1)) }
        }
    }

    package static func == (left: DiscoWalk, right: DiscoWalk) -> Bool {
        left.found == right.found && left.isCut == right.isCut && left.seen == right.seen
            && left.waiting.elementsEqual(right.waiting) { $0.place == $1.place && $0.depth == $1.depth }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(found)
        hasher.combine(seen)
    }
}
