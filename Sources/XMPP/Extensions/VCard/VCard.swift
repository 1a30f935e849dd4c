// SPDX-License-Identifier: Apache-2.0

/// What somebody tells about themselves: names, a picture, where to reach them (XEP-0054, XEP-0292).
///
/// The same values stand for both formats. What a format says beyond them is kept when a card is changed with
/// ``XMPPSession/updateVCard(format:audience:_:)``. Whatever stands in a card is the owner's word and no more.
public struct VCard: Sendable, Hashable {
    /// The name as it is shown.
    public var fullName: String?
    /// The name in its parts.
    public var name: PersonName?
    /// Nicknames, the usual one first.
    public var nicknames: [String] = []
    /// A picture.
    public var photo: Photo?
    /// The date of birth, as it was written: `1966-08-06`, `--08-06`.
    public var birthday: String?
    /// Postal addresses.
    public var addresses: [PostalAddress] = []
    /// Telephone numbers.
    public var phones: [Phone] = []
    /// Email addresses.
    public var emails: [Email] = []
    /// Addresses in XMPP.
    public var jids: [JID] = []
    /// The job title.
    public var title: String?
    /// What the person does there.
    public var role: String?
    /// Where the person works.
    public var organization: Organization?
    /// Web pages; not checked in any way.
    public var urls: [String] = []
    /// Further words.
    public var note: String?

    /// Makes an empty card.
    public init() {}

    /// Which of the two formats, which servers keep in two places.
    public enum Format: Sendable, Hashable, CaseIterable {
        /// The old one, which every server has (XEP-0054).
        case temporary
        /// vCard 4 on a node of the account (XEP-0292).
        case vCard4
    }
}

extension VCard {
    /// A name in its parts; a part that is not there is empty.
    public struct PersonName: Sendable, Hashable {
        /// The family name.
        public var family: String
        /// The given name.
        public var given: String
        /// Further given names.
        public var middle: String
        /// Titles in front.
        public var prefix: String
        /// Titles behind.
        public var suffix: String

        /// Makes a name.
        public init(
            family: String = "", given: String = "", middle: String = "", prefix: String = "", suffix: String = ""
        ) {
            self.family = family
            self.given = given
            self.middle = middle
            self.prefix = prefix
            self.suffix = suffix
        }
    }

    /// A picture in a card.
    public enum Photo: Sendable, Hashable {
        /// The picture itself.
        case picture(Picture)
        /// Where it is on the web; opening it tells its host who looks.
        case link(String)
    }

    /// Where an address or a number belongs.
    public enum Place: String, Sendable, Hashable, CaseIterable {
        /// At home.
        case home
        /// At work.
        case work
    }

    /// An email address.
    public struct Email: Sendable, Hashable {
        /// The address.
        public var address: String
        /// Where it belongs.
        public var places: Set<Place>
        /// Whether it is the one to use.
        public var isPreferred: Bool

        /// Makes an address.
        public init(_ address: String, places: Set<Place> = [], isPreferred: Bool = false) {
            self.address = address
            self.places = places
            self.isPreferred = isPreferred
        }
    }

    /// A telephone number.
    public struct Phone: Sendable, Hashable {
        /// What answers there.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// A telephone.
            case voice
            /// A fax machine.
            case fax
            /// A mobile telephone.
            case cell
            /// A telephone with a picture.
            case video
            /// A pager.
            case pager
        }

        /// The number, as it was written.
        public var number: String
        /// Where it belongs.
        public var places: Set<Place>
        /// What answers there.
        public var kinds: Set<Kind>
        /// Whether it is the one to use.
        public var isPreferred: Bool

        /// Makes a number.
        public init(_ number: String, places: Set<Place> = [], kinds: Set<Kind> = [], isPreferred: Bool = false) {
            self.number = number
            self.places = places
            self.kinds = kinds
            self.isPreferred = isPreferred
        }
    }

    /// A postal address; a part that is not there is empty.
    public struct PostalAddress: Sendable, Hashable {
        /// The post-office box.
        public var box = ""
        /// Flat or suite.
        public var extra = ""
        /// Street and number.
        public var street = ""
        /// The town.
        public var locality = ""
        /// State or province.
        public var region = ""
        /// The postal code.
        public var postalCode = ""
        /// The country.
        public var country = ""
        /// Where it belongs.
        public var places: Set<Place> = []
        /// Whether it is the one to use.
        public var isPreferred = false

        /// Makes an empty address.
        public init() {}
    }

    /// Where somebody works.
    public struct Organization: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// The parts of it, from large to small.
        public var units: [String]

        /// Makes an organization.
        public init(_ name: String, units: [String] = []) {
            self.name = name
            self.units = units
        }
    }
}
