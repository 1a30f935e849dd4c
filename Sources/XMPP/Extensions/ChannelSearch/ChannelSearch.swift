// SPDX-License-Identifier: Apache-2.0

/// What to look for among public rooms (XEP-0433 §4.1); what is nil is left to the service.
public struct ChannelSearch: TypedForm {
    /// What comes first.
    public enum Order: String, Sendable, Hashable, CaseIterable {
        /// The address.
        case address = "{urn:xmpp:channel-search:0:order}address"
        /// Many occupants.
        case occupants = "{urn:xmpp:channel-search:0:order}nusers"
    }

    /// `urn:xmpp:channel-search:0:search-params`.
    public static let formType = namespace + ":search-params"
    static let namespace = "urn:xmpp:channel-search:0"
    static let feature = namespace + ":search"

    /// Words to look for; nil for all rooms.
    public var text: String?
    /// Whether names are looked through.
    public var inNames: Bool?
    /// Whether descriptions are looked through.
    public var inDescriptions: Bool?
    /// Whether addresses are looked through.
    public var inAddresses: Bool?
    /// At least so many occupants.
    public var minimumOccupants: Int?
    /// What comes first.
    public var order: Order?

    /// Makes a search.
    public init(_ text: String? = nil, order: Order? = nil) {
        self.text = text
        self.order = order
    }

    /// Reads the fields.
    public init?(_ form: DataForm) {
        text = form["q"]?.text
        inNames = form["sinname"]?.flag
        inDescriptions = form["sindescription"]?.flag
        inAddresses = form["sinaddr"]?.flag
        minimumOccupants = form["min_users"]?.number
        order = form["key"]?.text.flatMap(Order.init(rawValue:))
    }

    /// The fields that say something; without words all rooms are asked for (§4.1.2).
    public var fields: [DataForm.Field] {
        var fields: [DataForm.Field] = []
        if let text { fields.append(.init("q", text: text)) } else { fields.append(.init("all", flag: true)) }
        if let inNames { fields.append(.init("sinname", flag: inNames)) }
        if let inDescriptions { fields.append(.init("sindescription", flag: inDescriptions)) }
        if let inAddresses { fields.append(.init("sinaddr", flag: inAddresses)) }
        if let minimumOccupants { fields.append(.init("min_users", number: minimumOccupants)) }
        if let order { fields.append(.init("key", text: order.rawValue)) }
        return fields
    }
}

/// A room that a search found (XEP-0433 §6.3): what its owner or the service says, for people to choose by.
public struct FoundChannel: Sendable, Hashable {
    /// The address.
    public let address: JID
    /// What it is called.
    public let name: String?
    /// What it is about.
    public let details: String?
    /// The language that is spoken there.
    public let language: String?
    /// How many are in it.
    public let occupantCount: Int?
    /// Whether everybody may come in.
    public let isOpen: Bool
    /// Whether real addresses are shown to everybody; nil when nobody says.
    public let showsAddresses: Bool?

    init?(_ element: Element) {
        guard element.matches(XMLName("item", ChannelSearch.feature)), let address = element.address("address"),
            address.isBare, address.local != nil
        else { return nil }
        func text(_ name: String, _ limit: Int = 1024) -> String? {
            element.childText(XMLName(name, ChannelSearch.feature))?.cut(toBytes: limit)
        }
        self.address = address
        name = text("name", 256)
        details = text("description")
        language = text("language", 64)
        occupantCount = text("nusers").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
        isOpen = element.child(XMLName("is-open", ChannelSearch.feature)) != nil
        switch text("anonymity-mode") {
        case "none": showsAddresses = true
        case "semi", "full": showsAddresses = false
        default: showsAddresses = nil
        }
    }
}

extension RoomService {
    /// Looks for public rooms at a service that can search, page by page (XEP-0433 §4.1).
    ///
    /// The sequence throws ``XMPPError``, with a ``StanzaError`` when the service does not do that.
    /// - Parameters:
    ///   - search: What to look for.
    ///   - service: Whom to ask.
    ///   - pageSize: How many rooms a page holds.
    public func search(_ search: ChannelSearch, at service: JID, pageSize: Int = 50) -> ResultPages<[FoundChannel]> {
        let session = session
        return ResultPages(PageRequest(limit: pageSize), pageCap: 1000) { machine, request in
            let query = Element(
                XMLName("search", ChannelSearch.feature), children: [request.element, search.form().element])
            let reply = try await session.get(query, to: service)
            guard let result = reply.payload, result.matches(XMLName("result", ChannelSearch.feature)) else {
                throw XMPPError(.invalidReply, "the answer has no list of rooms")
            }
            let all = result.children.filter { $0.localName == "item" }.prefix(10_000)
            let channels = all.compactMap { FoundChannel($0) }.filter { machine.isNew($0.address.description) }
            let info = result.child(PageInfo.name).flatMap { PageInfo($0) } ?? PageInfo()
            let page = PagingStateMachine.Page(info, items: all.count, newItems: channels.count)
            return (channels, machine.received(page))
        }
    }

    /// Whether a service can search (XEP-0433 §3).
    public func canSearch(at service: JID) async throws -> Bool {
        try await session.discoverInfo(of: service).supports(ChannelSearch.feature)
    }
}
