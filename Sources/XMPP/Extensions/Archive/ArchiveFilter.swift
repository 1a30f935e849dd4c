// SPDX-License-Identifier: Apache-2.0

/// Which messages of an archive are wanted; what is left out restricts nothing (XEP-0313 §4.1).
public struct ArchiveFilter: Sendable, Hashable {
    /// Only messages from or to this address; a bare one stands for all its resources (§4.1.1).
    ///
    /// One's own address finds the messages that one sent to oneself.
    public var with: JID?
    /// Only messages of this moment or later, by the clock of the archive (§4.1.2).
    public var start: DateTime?
    /// Only messages of this moment or earlier, by the clock of the archive (§4.1.2).
    public var end: DateTime?
    /// Only messages after the one with this identifier (§4.1.3).
    ///
    /// It is the archive's own, from ``ArchivedMessage/id`` or ``Message/stanzaID(by:)``, and never the one that the sender
    /// gave the message. Where the archive lacks the field, paging does the same.
    public var afterID: String?
    /// Only messages before the one with this identifier, see ``afterID`` (§4.1.3).
    public var beforeID: String?
    /// Whether messages of rooms are among them, where the archive leaves that open (§4.1.4); nil does not say.
    ///
    /// It is left out for an archive that does not know the question.
    public var includesRooms: Bool?
    /// Further fields by name, for those that ``MessageArchive/queryForm()`` lists (§4.1.5).
    public var fields: [String: [String]]

    /// Makes a filter.
    public init(
        with: JID? = nil, start: DateTime? = nil, end: DateTime? = nil, afterID: String? = nil,
        beforeID: String? = nil, includesRooms: Bool? = nil, fields: [String: [String]] = [:]
    ) {
        self.with = with
        self.start = start
        self.end = end
        self.afterID = afterID
        self.beforeID = beforeID
        self.includesRooms = includesRooms
        self.fields = fields
    }
}

/// What an archive can do beyond the least (XEP-0313 §7).
public struct ArchiveFeatures: Sendable, Hashable {
    /// Whether there is an archive at all.
    public let isSupported: Bool
    /// Whether it takes identifiers in filters, flips pages, and tells of itself.
    public let isExtended: Bool
    /// Whether it takes the question for messages of rooms.
    public let knowsRooms: Bool

    /// Makes a description.
    public init(isSupported: Bool, isExtended: Bool = false, knowsRooms: Bool = false) {
        self.isSupported = isSupported
        self.isExtended = isExtended
        self.knowsRooms = knowsRooms
    }

    /// Reads what an address says about itself.
    public init(_ info: DiscoInfo) {
        self.init(
            isSupported: info.supports(Archive.namespace), isExtended: info.supports(Archive.extended),
            knowsRooms: info.supports(Archive.roomField))
    }
}

extension ArchiveFilter {
    /// Fields of the form; identifiers only for an archive that takes them there.
    func form(ids: [String] = [], _ features: ArchiveFeatures) -> DataForm? {
        var fields: [DataForm.Field] = []
        func add(_ name: String, _ values: [String]) {
            if !values.isEmpty { fields.append(DataForm.Field(name, values: values)) }
        }
        add("with", with.map { [$0.description] } ?? [])
        add("start", start.map { [$0.description] } ?? [])
        add("end", end.map { [$0.description] } ?? [])
        if features.isExtended {
            add("after-id", afterID.map { [$0] } ?? [])
            add("before-id", beforeID.map { [$0] } ?? [])
            add("ids", ids)
        }
        if features.knowsRooms { add("include-groupchat", includesRooms.map { [$0 ? "true" : "false"] } ?? []) }
        for name in self.fields.keys.sorted() { add(name, self.fields[name] ?? []) }
        guard !fields.isEmpty else { return nil }
        let type = DataForm.Field("FORM_TYPE", kind: .hidden, values: [Archive.namespace])
        return DataForm(.submit, fields: [type] + fields)
    }

    /// Whether an identifier restricts the messages.
    var hasIDs: Bool { afterID != nil || beforeID != nil }
}
