// SPDX-License-Identifier: Apache-2.0

/// One step of a session that two programs negotiate (XEP-0166 §7).
struct Jingle: StanzaPayload {
    static let namespace = "urn:xmpp:jingle:1"
    static let errors = "urn:xmpp:jingle:errors:1"
    static let name = XMLName("jingle", namespace)

    /// What is to happen (§7.2).
    enum Action: String, Sendable, Hashable, CaseIterable {
        case contentAccept = "content-accept"
        case contentAdd = "content-add"
        case contentModify = "content-modify"
        case contentReject = "content-reject"
        case contentRemove = "content-remove"
        case descriptionInfo = "description-info"
        case securityInfo = "security-info"
        case sessionAccept = "session-accept"
        case sessionInfo = "session-info"
        case sessionInitiate = "session-initiate"
        case sessionTerminate = "session-terminate"
        case transportAccept = "transport-accept"
        case transportInfo = "transport-info"
        case transportReject = "transport-reject"
        case transportReplace = "transport-replace"
    }

    /// What a `session-info` says (XEP-0234 §8).
    enum Information: Sendable, Hashable {
        /// Nothing: the other side only wants to know that we are there.
        case ping
        case checksum([ContentHash])
        case received
        case other(XMLName)
    }

    var action: Action
    var sid: String
    var contents: [JingleContent] = []
    var reason: JingleReason?
    var information: Information = .ping
    /// Who began and who answers, told with the first steps (§7.1).
    var initiator: JID?
    var responder: JID?

    init(
        _ action: Action, sid: String, contents: [JingleContent] = [], reason: JingleReason? = nil,
        information: Information = .ping
    ) {
        self.action = action
        self.sid = sid
        self.contents = contents
        self.reason = reason
        self.information = information
    }

    init?(_ element: Element) {
        guard element.matches(Self.name), let action = element["action"].flatMap(Action.init(rawValue:)),
            let sid = element.filled("sid"), sid.utf8.count <= 256
        else { return nil }
        let contents = element.children(JingleContent.name).prefix(8)
        self.init(action, sid: sid, contents: contents.compactMap { JingleContent($0) })
        guard self.contents.count == contents.count else { return nil }
        reason = element.child(JingleReason.name).flatMap { JingleReason($0) }
        initiator = element.address("initiator")
        responder = element.address("responder")
        if action == .sessionInfo { information = Self.information(element) }
    }

    private static func information(_ element: Element) -> Information {
        guard let child = element.children.first else { return .ping }
        switch child.name {
        case JingleFile.checksum:
            return .checksum(child.child(FileMetadata.jingleName).map { ContentHash.all(in: $0) } ?? [])
        case JingleFile.received: return .received
        default: return .other(child.name)
        }
    }

    var element: Element {
        Element(Self.name) { builder in
            builder.attribute("action", action.rawValue)
            builder.attribute("initiator", initiator?.description)
            builder.attribute("responder", responder?.description)
            builder.attribute("sid", sid)
            for content in contents { builder.child(content.element) }
            switch information {
            case .checksum(let hashes):
                builder.open(JingleFile.checksum)
                builder.attribute("creator", "initiator")
                builder.attribute("name", contents.first?.name ?? "file")
                builder.child(Element(FileMetadata.jingleName, children: hashes.map(\.element)))
                builder.close()
            case .received:
                builder.open(JingleFile.received)
                builder.close()
            case .ping, .other: break
            }
            if let reason { builder.child(reason.element) }
        }
    }
}

/// What a session is about: an application and the transport of its bytes (XEP-0166 §7.3).
struct JingleContent: StanzaPayload {
    static let name = XMLName("content", Jingle.namespace)

    enum Description: Sendable, Hashable {
        case file(JingleFile)
        case other(XMLName)
    }

    enum Transport: Sendable, Hashable {
        /// Bytes inside the stream (XEP-0261 §2).
        case inBand(sid: String, blockSize: Int)
        case other(XMLName)
    }

    static let inBandName = XMLName("transport", "urn:xmpp:jingle:transports:ibb:1")

    var creator: String
    var name: String
    /// Who sends: the one who began unless told otherwise.
    var senders: String
    var description: Description?
    var transport: Transport?

    init(
        creator: String = "initiator", name: String, senders: String = "initiator", description: Description?,
        transport: Transport?
    ) {
        self.creator = creator
        self.name = name
        self.senders = senders
        self.description = description
        self.transport = transport
    }

    init?(_ element: Element) {
        guard element.matches(Self.name), let name = element.filled("name"), name.utf8.count <= 1024 else { return nil }
        self.init(
            creator: element["creator"] == "responder" ? "responder" : "initiator", name: name,
            senders: element["senders"] ?? "both", description: nil, transport: nil)
        for child in element.children {
            switch child.localName {
            case "description" where description == nil:
                description = JingleFile(child).map { .file($0) } ?? .other(child.name)
            case "transport" where transport == nil:
                transport = Self.transport(child)
            default: break
            }
        }
    }

    private static func transport(_ element: Element) -> Transport? {
        guard element.matches(inBandName) else { return .other(element.name) }
        guard let sid = InBand.sid(element), let size = element["block-size"].flatMap({ Int($0) }),
            (1...InBand.largestBlock).contains(size), element["stanza"] ?? "iq" == "iq"
        else { return nil }
        return .inBand(sid: sid, blockSize: size)
    }

    var element: Element {
        Element(Self.name) { builder in
            builder.attribute("creator", creator)
            builder.attribute("name", name)
            builder.attribute("senders", senders)
            if case .file(let file) = description { builder.child(file.element) }
            if case .inBand(let sid, let size) = transport {
                builder.child(
                    Element(Self.inBandName, attributes: ["block-size": String(size), "sid": sid, "stanza": "iq"]))
            }
        }
    }
}

/// The file that a session is about (XEP-0234 §5).
struct JingleFile: StanzaPayload {
    static let namespace = "urn:xmpp:jingle:apps:file-transfer:5"
    static let name = XMLName("description", namespace)
    static let checksum = XMLName("checksum", namespace)
    static let received = XMLName("received", namespace)

    private static let rangeName = XMLName("range", namespace)
    private static let promise = XMLName("hash-used", ContentHash.namespace)

    var metadata: FileMetadata
    /// Which part of the file goes over the stream; nil where the other side knows nothing of parts (§7).
    var range: FilePart?
    /// The algorithms of hashes that are told later, in a `<checksum/>` (§8.1); only read.
    var promisedHashes: [String] = []

    init(_ metadata: FileMetadata) { self.metadata = metadata }

    init?(_ element: Element) {
        guard element.matches(Self.name), let file = element.onlyChild(FileMetadata.jingleName),
            let metadata = FileMetadata(file)
        else { return nil }
        self.metadata = metadata
        range = file.child(Self.rangeName).flatMap { FilePart($0) }
        promisedHashes = file.children(Self.promise).prefix(8).compactMap { $0.filled("algo") }
    }

    var element: Element {
        let part = range.map { [$0.element(Self.rangeName)] } ?? []
        return Element(Self.name, children: [metadata.element(FileMetadata.jingleName, more: part)])
    }
}

/// A part of a file; without numbers it is the whole.
struct FilePart: Sendable, Hashable {
    /// The first byte.
    var offset: Int64 = 0
    /// So many bytes; nil for all that follow.
    var count: Int64?

    init(offset: Int64 = 0, count: Int64? = nil) {
        self.offset = offset
        self.count = count
    }

    /// Nil for numbers that are none.
    init?(_ element: Element) {
        guard let offset = Int64(element["offset"] ?? "0"), offset >= 0 else { return nil }
        self.offset = offset
        guard let text = element["length"] else { return }
        guard let count = Int64(text), count >= 0 else { return nil }
        self.count = count
    }

    /// The bytes of a file of that size; nil when it does not have them.
    func bytes(of size: Int64) -> Range<Int64>? {
        guard offset <= size, (count ?? 0) <= size - offset else { return nil }
        return offset..<(count.map { offset + $0 } ?? size)
    }

    func element(_ name: XMLName) -> Element {
        Element(
            name, attributes: ["offset": offset == 0 ? nil : String(offset), "length": count.map { String($0) }])
    }
}

/// Why a session ends (XEP-0166 §7.4).
struct JingleReason: StanzaPayload {
    static let name = XMLName("reason", Jingle.namespace)

    var condition: String
    var text: String?

    init(_ condition: String, text: String? = nil) {
        self.condition = condition
        self.text = text
    }

    static let success = JingleReason("success")
    static let decline = JingleReason("decline")
    static let cancel = JingleReason("cancel")
    static let timeout = JingleReason("timeout")
    static let unsupportedApplications = JingleReason("unsupported-applications")
    static let unsupportedTransports = JingleReason(
        "unsupported-transports", text: "no connections are made to addresses that others name")
    static let failedTransport = JingleReason("failed-transport")

    init?(_ element: Element) {
        guard element.matches(Self.name) else { return nil }
        var condition: String?
        for child in element.children where child.namespace == Jingle.namespace {
            if child.localName == "text" {
                text = String(child.text.prefix(500))
            } else if condition == nil {
                condition = child.localName
            }
        }
        guard let condition else { return nil }
        self.condition = condition
    }

    var element: Element {
        Element(Self.name) { builder in
            builder.open(XMLName(condition, Jingle.namespace))
            builder.close()
            if let text { builder.child(XMLName("text", Jingle.namespace), text: text) }
        }
    }
}
