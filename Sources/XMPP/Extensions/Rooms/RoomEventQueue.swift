// SPDX-License-Identifier: Apache-2.0

/// The events of a room that one reader has not taken yet: what occupants did is kept once for each of them.
///
/// Adding costs the same however many wait.
package struct RoomEventQueue: Sendable {
    private enum Entry: Sendable {
        case event(RoomEvent)
        case occupant(OccupantChange)
        /// What it was has become pointless.
        case gone
    }

    /// Where the changes of one occupant stand.
    private struct Places: Sendable {
        /// That the one who had the nickname before went.
        var departure: Int?
        /// What the one who has it now did.
        var change: Int?
    }

    private var entries: [Entry] = []
    private var places: [JID: Places] = [:]
    private var gone = 0
    /// How many wait that cannot become fewer.
    package private(set) var lasting = 0

    package init() {}

    /// How many events wait.
    package var count: Int { entries.count - gone }

    package mutating func add(_ event: RoomEvent) {
        entries.append(.event(event))
        lasting += 1
    }

    package mutating func occupant(_ change: OccupantChange) {
        switch change {
        case .came(let occupant): note(occupant, change)
        case .changed(let occupant): note(occupant, change)
        case .left(let occupant, let departure): leave(occupant, departure)
        case .renamed(let old, let occupant): rename(old, occupant)
        }
    }

    /// All that waits, in order.
    package mutating func take() -> [RoomEvent] {
        var events: [RoomEvent] = []
        events.reserveCapacity(count)
        for entry in entries {
            switch entry {
            case .event(let event): events.append(event)
            case .occupant(let change): events.append(RoomEvent(change))
            case .gone: break
            }
        }
        self = RoomEventQueue()
        return events
    }

    /// Somebody came, or is another than before.
    private mutating func note(_ occupant: RoomOccupant, _ change: OccupantChange) {
        guard let index = places[occupant.address]?.change, case .occupant(let before) = entries[index] else {
            places[occupant.address, default: Places()].change = entries.count
            entries.append(.occupant(change))
            return
        }
        switch before {
        case .came, .left: entries[index] = .occupant(.came(occupant))
        case .changed: entries[index] = .occupant(.changed(occupant))
        case .renamed(let old, _): entries[index] = .occupant(.renamed(from: old, occupant))
        }
    }

    private mutating func leave(_ occupant: RoomOccupant, _ departure: RoomDeparture) {
        var place = places[occupant.address] ?? Places()
        guard let index = place.change, case .occupant(let before) = entries[index] else {
            guard place.departure == nil else { return }
            place.departure = entries.count
            places[occupant.address] = place
            entries.append(.occupant(.left(occupant, departure)))
            return
        }
        place.change = nil
        switch before {
        case .came:
            // Whoever came and went was never there for the reader.
            remove(index)
            places[occupant.address] = place.departure == nil ? nil : place
        case .renamed(let old, _):
            // The reader knows it by the old name.
            entries[index] = .occupant(.left(renamed(occupant, old), departure))
            places[occupant.address] = place.departure == nil ? nil : place
            places[old, default: Places()].departure = index
        case .changed, .left:
            if place.departure == nil {
                entries[index] = .occupant(.left(occupant, departure))
                place.departure = index
                places[occupant.address] = place
            } else {
                remove(index)
                places[occupant.address] = place
            }
        }
    }

    private mutating func rename(_ old: JID, _ occupant: RoomOccupant) {
        let place = places[old]
        places[occupant.address, default: Places()].change = place?.change ?? entries.count
        guard let index = place?.change, case .occupant(let before) = entries[index] else {
            entries.append(.occupant(.renamed(from: old, occupant)))
            return
        }
        places[old]?.change = nil
        if places[old]?.departure == nil { places[old] = nil }
        switch before {
        case .came, .left: entries[index] = .occupant(.came(occupant))
        case .changed: entries[index] = .occupant(.renamed(from: old, occupant))
        case .renamed(let first, _): entries[index] = .occupant(.renamed(from: first, occupant))
        }
    }

    private func renamed(_ occupant: RoomOccupant, _ address: JID) -> RoomOccupant {
        RoomOccupant(
            address: address, realAddress: occupant.realAddress, occupantID: occupant.occupantID, role: occupant.role,
            affiliation: occupant.affiliation, show: occupant.show, status: occupant.status, hats: occupant.hats)
    }

    private mutating func remove(_ index: Int) {
        if index == entries.count - 1 {
            entries.removeLast()
            return
        }
        entries[index] = .gone
        gone += 1
        if gone > 64, gone > entries.count / 2 { compact() }
    }

    /// Takes out what is pointless; costs as much as was added since the last time.
    private mutating func compact() {
        var map = [Int](repeating: -1, count: entries.count)
        var kept: [Entry] = []
        kept.reserveCapacity(entries.count - gone)
        for (index, entry) in entries.enumerated() {
            if case .gone = entry { continue }
            map[index] = kept.count
            kept.append(entry)
        }
        entries = kept
        gone = 0
        for (address, place) in places {
            places[address] = Places(
                departure: place.departure.map { map[$0] }, change: place.change.map { map[$0] })
        }
    }
}
