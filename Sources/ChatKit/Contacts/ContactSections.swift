// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import XMPP

/// A list of contacts as it is shown: in sections, and held to what is looked for.
public struct ContactSections: Hashable, Sendable {
    /// How contacts are put together.
    public enum Order: Hashable, Sendable {
        /// Online, away, offline.
        case presence
        /// The groups by name; who is in none comes last, and who is in several stands in each.
        case group
    }

    /// One section.
    public struct Section: Hashable, Sendable {
        /// What puts its contacts together.
        public enum Name: Hashable, Sendable {
            /// Online, or ready to chat.
            case online
            /// Away, or busy.
            case away
            /// Not online, or not known to be.
            case offline
            /// In a group; nil for those that are in none.
            case group(String?)
        }

        /// What puts its contacts together.
        public let name: Name
        /// By name, without regard to case and accents.
        public let contacts: [Contact]
    }

    /// The sections that have contacts.
    public let sections: [Section]

    /// Puts contacts together.
    ///
    /// - Parameters:
    ///   - contacts: The contacts.
    ///   - order: How they are put together.
    ///   - text: Only contacts whose name, address or group holds each of these words somewhere, without regard to case and
    ///     accents; empty for all.
    public init(_ contacts: [Contact], by order: Order = .presence, matching text: String = "") {
        let words = text.split(whereSeparator: \.isWhitespace).map { Self.folded(String($0)) }
        let keyed = contacts.map { (key: Self.folded($0.displayName), contact: $0) }
        let shown = keyed.filter { entry in
            guard !words.isEmpty else { return true }
            let names = [entry.key, Self.folded(entry.contact.jid.description)] + entry.contact.groups.map(Self.folded)
            return words.allSatisfy { word in names.contains { $0.contains(word) } }
        }
        .sorted { ($0.key, $0.contact.jid) < ($1.key, $1.contact.jid) }.map(\.contact)
        switch order {
        case .presence:
            let names: [Section.Name] = [.online, .away, .offline]
            sections = names.compactMap { name in
                Self.section(name, shown.filter { Self.place($0.presence.availability) == name })
            }
        case .group:
            let groups = Set(shown.flatMap(\.groups)).sorted { (Self.folded($0), $0) < (Self.folded($1), $1) }
            let named = groups.compactMap { group in
                Self.section(.group(group), shown.filter { $0.groups.contains(group) })
            }
            sections = named + [Self.section(.group(nil), shown.filter(\.groups.isEmpty))].compactMap(\.self)
        }
    }

    private static func section(_ name: Section.Name, _ contacts: [Contact]) -> Section? {
        contacts.isEmpty ? nil : Section(name: name, contacts: contacts)
    }

    private static func place(_ availability: ContactPresence.Availability) -> Section.Name {
        switch availability {
        case .chat, .online: .online
        case .away, .extendedAway, .doNotDisturb: .away
        case .offline, .unknown: .offline
        }
    }

    /// The text as it is compared: without case and accents.
    static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}
