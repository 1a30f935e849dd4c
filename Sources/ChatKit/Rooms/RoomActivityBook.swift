// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport
internal import struct Foundation.Date
package import XMPP

/// What people do in the rooms of a profile, in memory, bounded.
///
/// Its lock owns the state.
package final class RoomActivityBook: Sendable {
    /// Lines that are kept of one room.
    package static let capacity = 50
    /// Rooms of which lines are kept; of further ones nothing is.
    package static let maximumRooms = 500

    struct Place: Hashable, Sendable {
        let account: JID
        let room: JID
    }

    private struct State {
        var lines: [Place: [RoomFold]] = [:]
        var last = 0
    }

    private let state = Locked(State())

    package init() {}

    /// Takes in what somebody did; gives whether a line is another one now.
    ///
    /// - Parameter position: The place of the newest message there.
    package func note(
        _ news: RoomNews.Occupant, in room: JID, account: JID, position: Int64, now: Int64
    ) -> Bool {
        let place = Place(account: account, room: room.bare)
        return state.withLock { state in
            var lines = state.lines[place] ?? []
            guard !lines.isEmpty || state.lines.count < Self.maximumRooms else { return false }
            if lines.last.map({ $0.line.position != position }) ?? true {
                state.last += 1
                let date = Date(milliseconds: now)
                lines.append(
                    RoomFold(
                        RoomActivity(
                            id: .init(number: state.last), account: account, room: place.room, position: position,
                            began: date, ended: date)))
                if lines.count > Self.capacity { lines.removeFirst() }
            }
            let before = lines[lines.count - 1].line
            lines[lines.count - 1].note(news, now: now)
            state.lines[place] = lines
            let after = lines[lines.count - 1].line
            return before.people != after.people || before.others != after.others
        }
    }

    /// All lines that say something.
    package func all() -> [RoomActivity] {
        state.withLock { $0.lines.values.joined().map(\.line) }.filter { !$0.people.isEmpty }
            .sorted { $0.id.number < $1.id.number }
    }

    /// Those of a room from a place on, up to and with another one.
    func lines(in room: JID, account: JID, from: Int64, through: Int64) -> [RoomActivity] {
        guard from <= through else { return [] }
        let lines = state.withLock { $0.lines[Place(account: account, room: room.bare)] ?? [] }
        return lines.map(\.line).filter { !$0.people.isEmpty && (from...through).contains($0.position) }
    }

    /// The account is no longer one of the profile's.
    func forget(account: JID) {
        state.withLock { state in state.lines = state.lines.filter { $0.key.account != account } }
    }
}

/// One line as it comes into being.
struct RoomFold: Sendable {
    private(set) var line: RoomActivity
    /// What is known of those who did something, by the nickname that they have or had last.
    private var people: [String: Track] = [:]
    private var order: [String] = []
    /// How often something was done by those who are not followed.
    private var untracked = 0

    private struct Track {
        /// Was there when the line began.
        let wasHere: Bool
        /// The nickname then.
        let first: String
        var change: RoomActivity.Change?
    }

    /// So many are followed; what further ones do is counted alone.
    private static let tracked = 200

    init(_ line: RoomActivity) { self.line = line }

    mutating func note(_ news: RoomNews.Occupant, now: Int64) {
        line.ended = Date(milliseconds: now)
        switch news {
        case .came(let name):
            guard let known = people[name] else {
                track(name, Track(wasHere: false, first: name, change: .came))
                break
            }
            switch known.change {
            case nil, .left: people[name]?.change = known.wasHere ? Self.renamed(known, name) : .came
            // Somebody who was put out and comes back was put out all the same.
            case .came, .renamed, .kicked, .banned, .excluded: break
            }
        case .left(let name): leave(name, .left)
        case .kicked(let name, let reason): leave(name, .kicked(reason))
        case .banned(let name, let reason): leave(name, .banned(reason))
        case .excluded(let name): leave(name, .excluded)
        case .renamed(let old, let name):
            var known = people.removeValue(forKey: old) ?? Track(wasHere: true, first: old, change: nil)
            if known.wasHere { known.change = Self.renamed(known, name) }
            if let index = order.firstIndex(of: old) {
                // Somebody of that name may have gone before: each name is told once.
                if order.contains(name) { order.remove(at: index) } else { order[index] = name }
            }
            track(name, known)
        }
        tell()
    }

    private static func renamed(_ known: Track, _ name: String) -> RoomActivity.Change? {
        known.first == name ? nil : .renamed(from: known.first)
    }

    private mutating func leave(_ name: String, _ change: RoomActivity.Change) {
        guard let known = people[name] else {
            return track(name, Track(wasHere: true, first: name, change: change))
        }
        // Who came and went again was never there, unless somebody saw to it that they went.
        people[name]?.change = change == .left && !known.wasHere ? nil : change
    }

    private mutating func track(_ name: String, _ track: Track) {
        guard people[name] != nil || people.count < Self.tracked else {
            untracked += 1
            return
        }
        people[name] = track
        if !order.contains(name) { order.append(name) }
    }

    private mutating func tell() {
        var told: [RoomActivity.Person] = []
        for name in order {
            guard told.count < RoomActivity.maximum else { break }
            if let change = people[name]?.change { told.append(RoomActivity.Person(name: name, change: change)) }
        }
        line.people = told
        line.others = untracked + people.values.lazy.filter { $0.change != nil }.count - told.count
    }
}
