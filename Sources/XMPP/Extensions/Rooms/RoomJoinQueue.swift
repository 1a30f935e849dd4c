// SPDX-License-Identifier: Apache-2.0

/// Whose turn it is to go into a room: many rooms are not entered all at once (T137).
package struct RoomJoinQueue: Sendable, Hashable {
    /// So many are entered at a time.
    package let width: Int
    package private(set) var running: Set<JID> = []
    private var waiting: [JID] = []
    private var first = 0

    package init(width: Int = 5) { self.width = width }

    /// Asks for a turn; true when it has come already.
    package mutating func request(_ room: JID) -> Bool {
        if running.contains(room) { return true }
        guard running.count >= width else {
            running.insert(room)
            return true
        }
        if !waiting[first...].contains(room) { waiting.append(room) }
        return false
    }

    /// The room was entered or given up; gives the one whose turn has come.
    package mutating func finished(_ room: JID) -> JID? {
        guard running.remove(room) != nil else {
            if let index = waiting[first...].firstIndex(of: room) { waiting.remove(at: index) }
            return nil
        }
        guard first < waiting.count else { return nil }
        let next = waiting[first]
        first += 1
        if first == waiting.count {
            waiting = []
            first = 0
        }
        running.insert(next)
        return next
    }

    /// Nobody waits any more.
    package mutating func removeAll() { self = RoomJoinQueue(width: width) }
}
