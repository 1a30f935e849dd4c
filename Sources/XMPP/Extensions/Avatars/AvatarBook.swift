// SPDX-License-Identifier: Apache-2.0

/// Which picture is to be shown for whom, and what has to be fetched for that.
///
/// It takes presences and changes as they come, and answers what is new; ``next()`` gives what to fetch, each picture of
/// an address once, however often it is announced (B87). What an account publishes (XEP-0084) counts more than what the
/// presence of one of its programs says (XEP-0153). A value, owned by whoever keeps it.
public struct AvatarBook: Sendable, Hashable {
    /// So many addresses are kept; announcements of further ones are left out (T145).
    public static let capacity = 20_000

    private enum State: Sendable, Hashable {
        case waiting
        case underWay
        case settled
    }

    private struct Entry: Sendable, Hashable {
        /// The picture that was announced last; nil for none.
        var announced: PictureHash?
        /// What is shown; the one of before until a new one is there.
        var shown: PictureHash?
        var state = State.settled
        var source: AvatarRequest.Source
        var byteCount: Int?
        /// The presence says that there is no picture: the card is looked at, once.
        var isDoubted = false
    }

    private var entries: [JID: Entry] = [:]
    /// Addresses that wait, each once; those whose wish has gone are passed over.
    private var queue: [JID] = []
    private var head = 0

    /// Makes a book without pictures.
    public init() {}

    /// Notes a presence; true when something waits to be fetched now.
    ///
    /// One that is not ready changes nothing (B92). One that says there is no picture may be written by a server that does
    /// not know better (OF38): the card is looked at before a picture goes.
    /// - Parameters:
    ///   - presence: Any received presence.
    ///   - isOccupant: Whether it is that of an occupant of a room, who is known by the full address.
    @discardableResult
    public mutating func received(_ presence: Presence, isOccupant: Bool = false) -> Bool {
        guard let from = presence.from, let announcement = presence.avatar else { return false }
        let jid = isOccupant ? from : from.bare
        if let entry = entries[jid], entry.source == .node { return false }
        switch announcement {
        case .notReady: return false
        case .picture(let hash):
            return want(hash, for: jid, from: isOccupant ? .occupantCard : .card, byteCount: nil)
        case .noPicture:
            guard var entry = entries[jid], entry.shown != nil, !entry.isDoubted else { return false }
            entry.isDoubted = true
            entry.announced = nil
            wait(&entry, jid)
            return true
        }
    }

    /// Notes a change; true when something waits to be fetched now, or the picture is gone.
    @discardableResult
    public mutating func received(_ change: AvatarChange) -> Bool {
        guard let form = change.preferred else {
            // Forms on the web only are no reason to take away what is shown.
            guard change.forms.isEmpty, entries[change.jid] != nil else { return false }
            let hadPicture = entries[change.jid]?.shown != nil
            entries[change.jid] = Entry(source: .node)
            return hadPicture
        }
        return want(form.hash, for: change.jid, from: .node, byteCount: form.byteCount)
    }

    private mutating func want(
        _ hash: PictureHash, for jid: JID, from source: AvatarRequest.Source, byteCount: Int?
    ) -> Bool {
        guard entries[jid] != nil || entries.count < Self.capacity else { return false }
        var entry = entries[jid] ?? Entry(source: source)
        let isNew = entry.announced != hash
        // What was not to be had in one place may be in the other.
        let isElsewhere = entry.source != source && entry.state == .settled && entry.shown != hash
        entry.source = source
        entry.byteCount = byteCount
        entry.announced = hash
        entry.isDoubted = false
        if isNew, entry.shown == hash { entry.state = .settled }
        guard entry.shown != hash, isNew || isElsewhere else {
            entries[jid] = entry
            return false
        }
        wait(&entry, jid)
        return true
    }

    private mutating func wait(_ entry: inout Entry, _ jid: JID) {
        if entry.state != .waiting { queue.append(jid) }
        entry.state = .waiting
        entries[jid] = entry
    }

    /// The next picture to fetch, with ``XMPPSession/fetchAvatar(_:cache:limits:)``; tell ``finished(_:_:)`` what came
    /// of it.
    public mutating func next() -> AvatarRequest? {
        while head < queue.count {
            let jid = queue[head]
            head += 1
            if head > 1024, head * 2 > queue.count {
                queue.removeFirst(head)
                head = 0
            }
            guard var entry = entries[jid], entry.state == .waiting else { continue }
            entry.state = .underWay
            entries[jid] = entry
            return AvatarRequest(jid: jid, hash: entry.announced, source: entry.source, byteCount: entry.byteCount)
        }
        queue = []
        head = 0
        return nil
    }

    /// What was fetched, nil when there was nothing acceptable; true when something else is to be shown now.
    ///
    /// What came too late, because another picture was announced since, is left out (B89). What was not there is not asked
    /// for again until that happens (B87).
    @discardableResult
    public mutating func finished(_ request: AvatarRequest, _ picture: Picture?) -> Bool {
        guard var entry = entries[request.jid], entry.announced == request.hash, entry.state == .underWay else {
            return false
        }
        entry.state = .settled
        let before = entry.shown
        if request.hash == nil {
            entry.shown = picture?.hash
        } else if let picture, picture.hash == request.hash {
            entry.shown = picture.hash
        }
        entries[request.jid] = entry
        return entry.shown != before
    }

    /// The fetch ended for a reason that says nothing about the picture, as a lost connection: it waits again.
    public mutating func postponed(_ request: AvatarRequest) {
        guard var entry = entries[request.jid], entry.announced == request.hash, entry.state == .underWay else {
            return
        }
        wait(&entry, request.jid)
    }

    /// The picture to show for an address: a bare one, or the full one of an occupant; nil for none.
    public subscript(jid: JID) -> PictureHash? { entries[jid]?.shown }

    /// Forgets an address, as an occupant who left.
    public mutating func forget(_ jid: JID) { entries[jid] = nil }
}

/// A picture that has to be fetched.
public struct AvatarRequest: Sendable, Hashable {
    /// Where it is to be had.
    public enum Source: Sendable, Hashable {
        /// From what the account publishes (XEP-0084 §3.4).
        case node
        /// From the vCard of the account (XEP-0153 §3.2).
        case card
        /// From the vCard of an occupant of a room, which is asked for through the room.
        case occupantCard
    }

    /// Whose it is.
    public let jid: JID
    /// Its name; nil to look which one there is, if any.
    public let hash: PictureHash?
    /// Where it is to be had.
    public let source: Source
    /// Its size in bytes, where it was announced.
    public let byteCount: Int?

    /// Makes a request.
    public init(jid: JID, hash: PictureHash?, source: Source, byteCount: Int? = nil) {
        self.jid = jid
        self.hash = hash
        self.source = source
        self.byteCount = byteCount
    }
}
