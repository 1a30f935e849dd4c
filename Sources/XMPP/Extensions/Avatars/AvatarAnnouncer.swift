// SPDX-License-Identifier: Apache-2.0

/// What one's own presence says about one's own picture, among several programs on one account (XEP-0153 §4.2–§4.4).
///
/// Not needed where the server announces the picture by itself (XEP-0398 §4): make it with `isServerDriven` then, and it
/// never says anything (OF38). A value, owned by whoever keeps it; it only decides.
public struct AvatarAnnouncer: Sendable, Hashable {
    /// What to do.
    public enum Action: Sendable, Hashable {
        /// Announce this, once, with ``XMPPSession/announceAvatar(_:)``.
        case announce(AvatarAnnouncement)
        /// Announce that the program is not ready, fetch one's own vCard, and tell ``cardFetched(_:)`` of its picture.
        case fetchCard
    }

    /// What is announced now.
    public private(set) var announced = AvatarAnnouncement.notReady
    private let isServerDriven: Bool
    private var isFetching = false
    /// What another program announced that was followed already: the same is no reason to begin again (B85).
    private var followed: AvatarAnnouncement?

    /// Makes an announcer that knows nothing yet.
    public init(isServerDriven: Bool = false) { self.isServerDriven = isServerDriven }

    /// This program has published a picture in the vCard, or taken it out.
    public mutating func published(_ hash: PictureHash?) -> Action? { change(to: .init(hash)) }

    /// The picture of one's own vCard is known; nil when there is none.
    public mutating func cardFetched(_ hash: PictureHash?) -> Action? {
        isFetching = false
        return change(to: .init(hash))
    }

    /// Looks at any received presence.
    ///
    /// One's own, reflected, changes nothing (B85); nor does what contacts say.
    /// - Parameters:
    ///   - presence: The presence.
    ///   - own: The bound address.
    public mutating func received(_ presence: Presence, own: JID) -> Action? {
        guard !isServerDriven, presence.kind == .available, let from = presence.from, from != own,
            from.isSameBare(as: own)
        else { return nil }
        guard let theirs = presence.avatar else {
            // Such a program may change the card without a word: what is announced may be wrong.
            guard announced != .notReady, !presence.hasAvatarUpdate else { return nil }
            return change(to: .notReady)
        }
        guard theirs != .notReady, theirs != announced, theirs != followed, !isFetching else { return nil }
        followed = theirs
        isFetching = true
        announced = .notReady
        return .fetchCard
    }

    private mutating func change(to new: AvatarAnnouncement) -> Action? {
        guard !isServerDriven, new != announced else { return nil }
        announced = new
        return .announce(new)
    }
}

extension AvatarAnnouncement {
    /// What to say about one's own picture, nil when there is none.
    fileprivate init(_ hash: PictureHash?) {
        self = hash.map { .picture($0) } ?? .noPicture
    }
}

extension Presence {
    /// Whether there is an announcement, be it one that says nothing.
    fileprivate var hasAvatarUpdate: Bool { payload(AvatarAnnouncement.name) != nil }
}
