// SPDX-License-Identifier: Apache-2.0

/// How a node behaves (XEP-0060 §16.4.4); what is nil keeps its value, or has the one that the service gives new nodes.
public struct NodeConfiguration: TypedForm {
    /// Who may read the items (§4.5).
    public enum AccessModel: String, Sendable, Hashable, CaseIterable {
        /// Everybody.
        case open
        /// Whoever may see the owner's presence.
        case presence
        /// Contacts of the owner in certain groups.
        case roster
        /// Whoever the owner lets in on request.
        case authorize
        /// Whoever stands on a list; for a node of one's own account, nobody but oneself.
        case whitelist
    }

    /// Who may publish.
    public enum PublishModel: String, Sendable, Hashable, CaseIterable {
        /// Publishers that the owner named.
        case publishers
        /// Subscribers.
        case subscribers
        /// Everybody.
        case open
    }

    /// When the last item is sent to somebody who did not ask for it.
    public enum LastItem: String, Sendable, Hashable, CaseIterable {
        /// Never.
        case never
        /// To a new subscriber.
        case onSubscribing = "on_sub"
        /// To a new subscriber, and when a subscriber comes online.
        case onSubscribingAndPresence = "on_sub_and_presence"
    }

    /// How many items are kept.
    public enum ItemCount: Sendable, Hashable {
        /// So many.
        case count(Int)
        /// As many as the service permits.
        case max
    }

    /// `http://jabber.org/protocol/pubsub#node_config`.
    public static let formType = PubSub.namespace + "#node_config"

    /// A name for people.
    public var title: String?
    /// Who may read the items.
    public var accessModel: AccessModel?
    /// Who may publish.
    public var publishModel: PublishModel?
    /// Whether items are kept.
    public var keepsItems: Bool?
    /// How many items are kept.
    public var itemCount: ItemCount?
    /// When the last item is sent unasked.
    public var sendsLastItem: LastItem?
    /// Whether events hold the items and not only their identifiers.
    public var deliversPayloads: Bool?
    /// Whether subscribers hear of items that are taken back.
    public var notifiesRetractions: Bool?
    /// The groups of contacts that may read, for ``AccessModel/roster``.
    public var rosterGroups: [String]?
    /// Further fields by name.
    public var others: [String: [String]]

    /// Makes a configuration that says nothing.
    public init() { others = [:] }

    /// For data that is kept and that everybody may have who may see one's presence, or wider (XEP-0222 §3).
    public static func publicData(_ access: AccessModel = .open) -> NodeConfiguration {
        var configuration = NodeConfiguration()
        configuration.accessModel = access
        configuration.keepsItems = true
        configuration.sendsLastItem = .never
        return configuration
    }

    /// For data that nobody but one's own account may have (XEP-0223 §3).
    public static let privateData: NodeConfiguration = {
        var configuration = NodeConfiguration()
        configuration.accessModel = .whitelist
        configuration.keepsItems = true
        configuration.itemCount = .max
        configuration.sendsLastItem = .never
        return configuration
    }()
}

extension NodeConfiguration {
    private static let prefix = "pubsub#"
    /// Reads the fields; values that the specification does not know stay among ``others``.
    public init?(_ form: DataForm) {
        self.init()
        func field(_ name: String) -> DataForm.Field? { form[Self.prefix + name] }
        func choice<Value: RawRepresentable>(_ name: String) -> Value? where Value.RawValue == String {
            field(name)?.text.flatMap(Value.init(rawValue:))
        }
        title = field("title")?.text
        accessModel = choice("access_model")
        publishModel = choice("publish_model")
        keepsItems = field("persist_items")?.flag
        itemCount = field("max_items")?.text.flatMap { text in
            text == "max" ? .max : ResultSet.number(text).map { .count($0) }
        }
        sendsLastItem = choice("send_last_published_item")
        deliversPayloads = field("deliver_payloads")?.flag
        notifiesRetractions = field("notify_retract")?.flag
        rosterGroups = field("roster_groups_allowed")?.values
        others = form.values(besides: fields.compactMap(\.name))
    }

    /// The fields that say something.
    public var fields: [DataForm.Field] {
        var fields: [DataForm.Field] = []
        func add(_ name: String, _ values: [String]?) {
            if let values { fields.append(DataForm.Field(Self.prefix + name, values: values)) }
        }
        add("title", title.map { [$0] })
        add("access_model", accessModel.map { [$0.rawValue] })
        add("publish_model", publishModel.map { [$0.rawValue] })
        add("persist_items", keepsItems.map { [$0 ? "true" : "false"] })
        switch itemCount {
        case .count(let count): add("max_items", [String(count)])
        case .max: add("max_items", ["max"])
        case nil: break
        }
        add("send_last_published_item", sendsLastItem.map { [$0.rawValue] })
        add("deliver_payloads", deliversPayloads.map { [$0 ? "true" : "false"] })
        add("notify_retract", notifiesRetractions.map { [$0 ? "true" : "false"] })
        add("roster_groups_allowed", rosterGroups)
        for name in others.keys.sorted() { fields.append(DataForm.Field(name, values: others[name] ?? [])) }
        return fields
    }

    /// The conditions that every service knows: access and keeping (ejabberd before 24.12 refuses all others).
    var essential: NodeConfiguration {
        var essential = NodeConfiguration()
        essential.accessModel = accessModel
        essential.keepsItems = keepsItems
        return essential
    }

    /// The form of preconditions of a publication (§7.1.5).
    var publishOptions: Element {
        let type = DataForm.Field("FORM_TYPE", kind: .hidden, values: [PubSub.publishOptionsType])
        return Element(
            PubSub.name("publish-options"), children: [DataForm(.submit, fields: [type] + fields).element])
    }
}
