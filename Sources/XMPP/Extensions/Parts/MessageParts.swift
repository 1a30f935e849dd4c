// SPDX-License-Identifier: Apache-2.0

/// Everything that the extensions of this library find in a message, read in one pass over its children.
///
/// For programs that look at all of it, as one that stores messages; who wants one thing asks the message for it. What may
/// only be believed of some senders is to be checked here as there.
public struct MessageParts: Sendable {
    /// Identifiers that somebody on the way gave (XEP-0359).
    public internal(set) var stanzaIDs: [StanzaID] = []
    /// The identifier of the sender's program (XEP-0359).
    public internal(set) var originID: String?
    /// Stamps of those who held the message back, the precise ones if there are any (XEP-0203).
    public internal(set) var delays: [Delay] = []
    /// Whether the sender asks for a receipt (XEP-0184).
    public internal(set) var requestsReceipt = false
    /// The message whose arrival this one reports (XEP-0184).
    public internal(set) var receiptID: String?
    /// Whether the sender asks for a displayed marker (XEP-0333).
    public internal(set) var isMarkable = false
    /// The message up to which the sender displayed the conversation (XEP-0333).
    public internal(set) var displayedID: String?
    /// What the sender does now (XEP-0085); nil for a message that was held back.
    public internal(set) var chatState: ChatState?
    /// The message that this one stands in the place of (XEP-0308).
    public internal(set) var correctedID: String?
    /// The message that this one takes back (XEP-0424).
    public internal(set) var retractedID: String?
    /// What an archive tells of a message that was taken back (XEP-0424).
    public internal(set) var tombstone: Tombstone?
    /// What the sender has to say to a message in pictures (XEP-0444).
    public internal(set) var reactions: Reactions?
    /// Which message this one answers (XEP-0461).
    public internal(set) var reply: Reply?
    /// Which texts stand there for programs that do not know something (XEP-0428).
    public internal(set) var fallbacks: [Fallback] = []
    /// What the message refers to (XEP-0372).
    public internal(set) var references: [Reference] = []
    /// Addresses outside of XMPP (XEP-0066).
    public internal(set) var links: [OutOfBandLink] = []
    /// Files that the message shares (XEP-0447, XEP-0385).
    public internal(set) var sharedFiles: [SharedFile] = []
    /// What servers are asked to do (XEP-0334).
    public internal(set) var hints: MessageHints = []
    /// How the message is encrypted (XEP-0380).
    public internal(set) var encryption: EncryptionHint?
    /// The thread (XEP-0201).
    public internal(set) var thread: MessageThread?
    /// Whether the body asks for no styles (XEP-0393).
    public internal(set) var isUnstyled = false
    /// Whether it wraps a copy of a message (XEP-0280), be it honest or not.
    public internal(set) var isCarbon = false
    /// Whether a room has a part in it (XEP-0045).
    public internal(set) var isOfRoom = false
    /// The identifier of the occupant, for rooms that announce it (XEP-0421).
    public internal(set) var occupantID: String?
    /// The names of the children that nothing here reads.
    public internal(set) var unknown: [XMLName] = []

    // While reading
    var chatStates = 0
    var legacyDelays: [Delay] = []
    var olderFiles: [SharedFile] = []
}

extension Message {
    /// Everything that the extensions of this library find in the message, read in one pass.
    ///
    /// Empty for an error: a message that bounced says nothing of what it carries (RFC 6121 §5.2.2).
    public var parts: MessageParts {
        var parts = MessageParts()
        guard kind != .error else { return parts }
        if let receivedElement {
            for child in receivedElement.children { parts.read(child) }
        } else {
            for child in payloads { parts.read(child) }
        }
        parts.finish()
        return parts
    }
}

extension MessageParts {
    private typealias Reader = @Sendable (Element, inout MessageParts) -> Void

    mutating func read(_ child: Element) {
        let name = child.name
        if let reader = Self.readers[name] { reader(child, &self) } else { unknown.append(name) }
    }

    mutating func finish() {
        if delays.isEmpty { delays = legacyDelays }
        if sharedFiles.isEmpty { sharedFiles = olderFiles }
        if chatStates != 1 || !delays.isEmpty { chatState = nil }
    }

    /// One entry for each name; the first child of a name counts where there can be one.
    private static let readers: [XMLName: Reader] = {
        var readers: [XMLName: Reader] = [:]
        func first<Payload: StanzaPayload, Value>(
            _ type: Payload.Type, _ path: any WritableKeyPath<MessageParts, Value?> & Sendable,
            _ value: @escaping @Sendable (Payload) -> Value
        ) {
            readers[type.name] = { element, parts in
                if parts[keyPath: path] == nil { parts[keyPath: path] = Payload(element).map(value) }
            }
        }
        func all<Payload: StanzaPayload>(
            _ type: Payload.Type, _ path: any WritableKeyPath<MessageParts, [Payload]> & Sendable
        ) {
            readers[type.name] = { element, parts in
                if let payload = Payload(element) { parts[keyPath: path].append(payload) }
            }
        }
        func flag(_ name: XMLName, _ path: any WritableKeyPath<MessageParts, Bool> & Sendable) {
            readers[name] = { _, parts in parts[keyPath: path] = true }
        }
        let ignore: Reader = { _, _ in }
        for name in [XMLName.body, .subject] { readers[name] = ignore }
        all(StanzaID.self, \.stanzaIDs)
        first(OriginID.self, \.originID, \.id)
        all(Delay.self, \.delays)
        readers[Delay.legacyName] = { element, parts in
            if let delay = Delay(legacy: element) { parts.legacyDelays.append(delay) }
        }
        flag(ReceiptRequest.name, \.requestsReceipt)
        first(Receipt.self, \.receiptID, \.id)
        flag(MarkableRequest.name, \.isMarkable)
        first(DisplayedMarker.self, \.displayedID, \.id)
        for state in ChatState.allCases {
            readers[XMLName(state.rawValue, ChatState.namespace)] = { element, parts in
                parts.chatState = ChatState(element)
                parts.chatStates += 1
            }
        }
        first(Correction.self, \.correctedID, \.id)
        first(Retraction.self, \.retractedID, \.id)
        readers[Retraction.legacyWrap] = { element, parts in
            if parts.retractedID == nil { parts.retractedID = Retraction(legacy: element)?.id }
        }
        first(Tombstone.self, \.tombstone, \.self)
        readers[Tombstone.legacyName] = { element, parts in
            if parts.tombstone == nil { parts.tombstone = Tombstone(element) }
        }
        first(Reactions.self, \.reactions, \.self)
        first(Reply.self, \.reply, \.self)
        all(Fallback.self, \.fallbacks)
        readers[Reference.name] = { element, parts in
            if let reference = Reference(element) { parts.references.append(reference) }
            if let file = SharedFile(reference: element) { parts.olderFiles.append(file) }
        }
        all(OutOfBandLink.self, \.links)
        all(SharedFile.self, \.sharedFiles)
        for (hint, name) in MessageHints.names { readers[name] = { _, parts in parts.hints.insert(hint) } }
        first(EncryptionHint.self, \.encryption, \.self)
        first(MessageThread.self, \.thread, \.self)
        flag(XMLName("unstyled", "urn:xmpp:styling:0"), \.isUnstyled)
        flag(CarbonElements.received, \.isCarbon)
        flag(CarbonElements.sent, \.isCarbon)
        flag(XMLName("x", "http://jabber.org/protocol/muc#user"), \.isOfRoom)
        first(OccupantID.self, \.occupantID, \.id)
        return readers
    }()
}
