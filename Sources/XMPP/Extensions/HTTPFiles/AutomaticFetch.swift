// SPDX-License-Identifier: Apache-2.0

/// Which files a program may fetch without asking (XEP-0363 §11): whoever makes it fetch something learns its address, and
/// that it is online.
///
/// Nothing in this library fetches by itself; a program that shows pictures asks here first.
public struct AutomaticFetch: Sendable, Hashable {
    /// Who sent the file.
    public enum Sender: Sendable, Hashable, CaseIterable {
        /// Another device of one's own account.
        case ownAccount
        /// Somebody who may see one's presence, and whose presence one sees.
        case contact
        /// Anybody in a room.
        case room
        /// Anybody else.
        case stranger
    }

    /// Whether anything is fetched without asking.
    ///
    /// Defaults to false.
    public var isEnabled = false
    /// From whom.
    ///
    /// Defaults to one's own devices and contacts; rooms and strangers never count without being named here.
    public var senders: Set<Sender> = [.ownAccount, .contact]
    /// The largest file; one of unknown size is not fetched.
    ///
    /// Defaults to 5 MiB.
    public var maximumBytes = 5 * 1024 * 1024

    /// Makes the default rules, which permit nothing.
    public init() {}

    /// Whether the file may be fetched now, without so much as asking its server for its size.
    /// - Parameters:
    ///   - file: What the message says of it.
    ///   - sender: Who sent it.
    ///   - access: The rules for the fetching itself.
    public func permits(
        _ file: SharedFile, from sender: Sender, access: HTTPAccess = HTTPAccess()
    ) -> Bool {
        guard isEnabled, senders.contains(sender), let url = file.urls.first,
            let size = file.metadata.byteCount, (1...max(1, maximumBytes)).contains(size)
        else { return false }
        return (try? access.location(url)) != nil
    }
}
