// SPDX-License-Identifier: Apache-2.0

/// What a room says about itself to whoever asks (XEP-0045 §6.4).
///
/// The facts come from the names of features, which are exact; the form beside them is for people, and any of its fields may
/// be missing (OF42).
public struct RoomInformation: Sendable, Hashable {
    /// All that the room can do.
    public let features: Set<String>
    /// What it is called.
    public let name: String?
    /// What it is about, as its owner says.
    public let details: String?
    /// What is talked about.
    public let subject: String?
    /// How many are in it.
    public let occupantCount: Int?
    /// The language that is spoken there.
    public let language: String?
    /// Where what is said can be read by everybody.
    public let logs: String?
    /// Whom to ask about the room.
    public let contacts: [JID]
    /// The name of its picture, where the room says that it has one (XEP-0486 §3): ``Room/fetchAvatar(cache:limits:)``.
    public let avatar: PictureHash?

    /// Reads what service discovery gave.
    public init(_ info: DiscoInfo) {
        features = info.features
        let form = info.forms.first { $0.formType == "http://jabber.org/protocol/muc#roominfo" }
        func text(_ name: String) -> String? {
            form?["muc#roominfo_" + name]?.text.flatMap { $0.isEmpty ? nil : $0 }
        }
        name = info.identities.lazy.filter { $0.category == "conference" }.compactMap(\.name).first
        details = text("description")
        subject = text("subject")
        occupantCount = form?["muc#roominfo_occupants"]?.number.flatMap { $0 >= 0 ? $0 : nil }
        language = text("lang")
        logs = text("logs")
        contacts = form?["muc#roominfo_contactjid"]?.addresses ?? []
        // The other one is what a module of Prosody's calls it.
        let field = form?["muc#roominfo_avatarhash"] ?? form?["{http://modules.prosody.im/mod_vcard_muc}avatar#sha1"]
        avatar = field?.values.lazy.compactMap { PictureHash($0) }.first
    }

    private func has(_ feature: String) -> Bool { features.contains(feature) }

    /// Only members may come in.
    public var isMembersOnly: Bool { has("muc_membersonly") }
    /// Newcomers may not speak until they are given a voice.
    public var isModerated: Bool { has("muc_moderated") }
    /// Everybody may see everybody's real address.
    public var isNonAnonymous: Bool { has("muc_nonanonymous") }
    /// A password is needed.
    public var needsPassword: Bool { has("muc_passwordprotected") }
    /// It stays when the last occupant leaves.
    public var isPersistent: Bool { has("muc_persistent") }
    /// It is not in the list of rooms.
    public var isHidden: Bool { has("muc_hidden") }
    /// It has an archive (XEP-0313).
    public var hasArchive: Bool { has("urn:xmpp:mam:2") }
    /// It names accounts (XEP-0421 §2).
    public var namesAccounts: Bool { has(OccupantID.name.namespace) }
    /// It gives messages identifiers of its own (XEP-0359 §5).
    public var namesMessages: Bool { has(StanzaID.namespace) || hasArchive }
    /// Moderators can take messages away (XEP-0425 §2).
    public var canBeModerated: Bool { Moderation(announcedBy: self) != nil }
    /// One can register there (§7.10).
    public var canBeRegisteredWith: Bool { has("jabber:iq:register") || has("http://jabber.org/protocol/muc#register") }
}
