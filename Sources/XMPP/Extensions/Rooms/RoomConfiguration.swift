// SPDX-License-Identifier: Apache-2.0

/// How a room behaves (XEP-0045 §10.2, §15.5.3); what is nil keeps its value, or has the one that the service gives new rooms.
public struct RoomConfiguration: TypedForm {
    /// Who may see real addresses.
    public enum AddressVisibility: String, Sendable, Hashable, CaseIterable {
        /// Moderators.
        case moderators
        /// Everybody.
        case anyone
    }

    /// Who may send private messages.
    public enum PrivateMessages: String, Sendable, Hashable, CaseIterable {
        /// Everybody.
        case anyone
        /// Whoever has a voice.
        case participants
        /// Moderators.
        case moderators
        /// Nobody.
        case none
    }

    /// `http://jabber.org/protocol/muc#roomconfig`.
    public static let formType = "http://jabber.org/protocol/muc#roomconfig"

    /// What it is called.
    public var name: String?
    /// What it is about.
    public var details: String?
    /// The language that is spoken there.
    public var language: String?
    /// Whether it stays when the last occupant leaves.
    public var isPersistent: Bool?
    /// Whether it is in the list of rooms.
    public var isPublic: Bool?
    /// Whether only members may come in.
    public var isMembersOnly: Bool?
    /// Whether newcomers have no voice until they are given one.
    public var isModerated: Bool?
    /// Whether a password is needed; it needs ``password``, too.
    public var needsPassword: Bool?
    /// The password.
    public var password: String?
    /// Who may see real addresses.
    public var showsAddresses: AddressVisibility?
    /// Whether participants may set the subject.
    public var participantsSetSubject: Bool?
    /// Whether participants may invite to a room for members.
    public var participantsInvite: Bool?
    /// Who may send private messages.
    public var privateMessages: PrivateMessages?
    /// How many may be in the room, 0 for any number.
    public var occupantLimit: Int?
    /// The roles whose presence is shown to everybody.
    public var broadcastsPresenceOf: Set<RoomRole>?
    /// Whether what is said is logged in public.
    public var isLogged: Bool?
    /// Whether the room keeps an archive (XEP-0313).
    public var keepsArchive: Bool?
    /// All administrators, not only new ones.
    public var admins: [JID]?
    /// All owners, not only new ones.
    public var owners: [JID]?
    /// Further fields by name.
    public var others: [String: [String]]

    /// Makes a configuration that says nothing.
    public init() { others = [:] }

    /// For a group of people who know each other: members only, real addresses, kept, in no list.
    public static func group(name: String? = nil) -> RoomConfiguration {
        var configuration = RoomConfiguration()
        configuration.name = name
        configuration.isPersistent = true
        configuration.isPublic = false
        configuration.isMembersOnly = true
        configuration.showsAddresses = .anyone
        configuration.isModerated = false
        return configuration
    }

    /// For everybody: open, kept, in the list, real addresses for moderators only.
    public static func channel(name: String? = nil) -> RoomConfiguration {
        var configuration = RoomConfiguration()
        configuration.name = name
        configuration.isPersistent = true
        configuration.isPublic = true
        configuration.isMembersOnly = false
        configuration.showsAddresses = .moderators
        return configuration
    }
}

extension RoomConfiguration {
    private static let prefix = "muc#roomconfig_"
    /// Where servers keep the switch of the archive: the specification has no field for it.
    private static let archiveFields = [
        "muc#roomconfig_enablearchiving", "mam", "muc#roomconfig_mam", "muc#roomconfig_archive",
    ]

    /// Reads the fields; values that the specification does not know stay among ``others``.
    public init?(_ form: DataForm) {
        self.init()
        func field(_ name: String) -> DataForm.Field? { form[Self.prefix + name] }
        // Some leave the value out for no.
        func flag(_ name: String) -> Bool? { field(name).flatMap { $0.values.isEmpty ? false : $0.flag } }
        name = field("roomname")?.text
        details = field("roomdesc")?.text
        language = field("lang")?.text
        isPersistent = flag("persistentroom")
        isPublic = flag("publicroom")
        isMembersOnly = flag("membersonly")
        isModerated = flag("moderatedroom")
        needsPassword = flag("passwordprotectedroom")
        password = field("roomsecret")?.text
        // Some say it in the singular.
        showsAddresses = field("whois")?.text.flatMap {
            $0 == "moderator" ? .moderators : AddressVisibility(rawValue: $0)
        }
        participantsSetSubject = flag("changesubject")
        participantsInvite = flag("allowinvites")
        privateMessages = field("allowpm")?.text.flatMap(PrivateMessages.init(rawValue:))
        occupantLimit = field("maxusers").flatMap { field in
            field.text == "none" ? 0 : field.number.flatMap { $0 >= 0 ? $0 : nil }
        }
        broadcastsPresenceOf = field("presencebroadcast").map { Set($0.values.compactMap(RoomRole.init(rawValue:))) }
        isLogged = flag("enablelogging")
        keepsArchive = Self.archiveFields.lazy.compactMap { form[$0]?.flag }.first
        admins = field("roomadmins")?.addresses
        owners = field("roomowners")?.addresses
        others = form.values(besides: fields.compactMap(\.name) + Self.archiveFields)
    }

    /// The fields that say something, without the switch of the archive, whose name depends on the server.
    public var fields: [DataForm.Field] {
        var fields: [DataForm.Field] = []
        func add(_ name: String, _ values: [String]?) {
            if let values { fields.append(DataForm.Field(Self.prefix + name, values: values)) }
        }
        func flag(_ name: String, _ value: Bool?) { add(name, value.map { [$0 ? "1" : "0"] }) }
        add("roomname", name.map { [$0] })
        add("roomdesc", details.map { [$0] })
        add("lang", language.map { [$0] })
        flag("persistentroom", isPersistent)
        flag("publicroom", isPublic)
        flag("membersonly", isMembersOnly)
        flag("moderatedroom", isModerated)
        flag("passwordprotectedroom", needsPassword)
        add("roomsecret", password.map { [$0] })
        add("whois", showsAddresses.map { [$0.rawValue] })
        flag("changesubject", participantsSetSubject)
        flag("allowinvites", participantsInvite)
        add("allowpm", privateMessages.map { [$0.rawValue] })
        add("maxusers", occupantLimit.map { [String(max($0, 0))] })
        add("presencebroadcast", broadcastsPresenceOf.map { $0.map(\.rawValue).sorted() })
        flag("enablelogging", isLogged)
        add("roomadmins", admins.map { $0.map(\.description) })
        add("roomowners", owners.map { $0.map(\.description) })
        for name in others.keys.sorted() { fields.append(DataForm.Field(name, values: others[name] ?? [])) }
        return fields
    }

    /// What to send to change a room to this: only what the form has and says otherwise, since a field that the service does
    /// not know fails the whole form on some (OF45).
    /// - Parameter form: The form that the room sent.
    func changes(to form: DataForm) -> DataForm {
        var wanted = fields
        if let keepsArchive, let name = Self.archiveFields.first(where: { form[$0] != nil }) {
            wanted.append(DataForm.Field(name, flag: keepsArchive))
        }
        let changed = wanted.filter { field in
            guard let name = field.name, let present = form[name] else { return false }
            let kind = present.kind
            if kind == .boolean, let new = field.flag, let old = present.flag { return new != old }
            return field.values != present.values
        }
        return DataForm(
            .submit,
            fields: [DataForm.Field("FORM_TYPE", kind: .hidden, values: [Self.formType])]
                + changed.map { Self.spelled($0, as: form) })
    }

    /// Values as the options of the form spell them: `none` for any number of occupants, where it is offered so.
    private static func spelled(_ field: DataForm.Field, as form: DataForm) -> DataForm.Field {
        guard field.name == prefix + "maxusers", field.values == ["0"], let name = field.name,
            let options = form[name]?.options, !options.contains(where: { $0.value == "0" }),
            let any = options.first(where: { $0.value == "none" || $0.value.isEmpty })
        else { return field }
        return DataForm.Field(name, values: [any.value])
    }
}
