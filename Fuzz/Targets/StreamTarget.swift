// SPDX-License-Identifier: Apache-2.0
import XMPP

/// A whole stream as a server writes it: parser, negotiation, decoding, payloads, stream management.
///
/// The first two bytes say what kind of session it is, the third in which pieces the bytes come. TLS and the derivation of
/// keys succeed at once, and what follows belongs to the next stream. A server that knows the account is one of the kinds:
/// its proof is made here.
func fuzzStream(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    let (kind, more, piece) = (input.byte(), input.byte(), 1 + Int(input.byte()))
    var stream = FuzzedStream(kind, more)
    let rest = input.all()
    var start = 0
    while start < rest.count, !stream.isOver {
        let end = min(rest.count, start + piece)
        stream.receive(rest[start..<end])
        start = end
    }
}

private struct FuzzedStream: ~Copyable {
    private var parser = XMLStreamParser(limits: .beforeLogin)
    private var negotiation: NegotiationStateMachine
    private var decoder = StanzaDecoder()
    private var management = StreamManagementStateMachine()
    private var tracker = IQTracker<Int>()
    private var writer = XMLWriter()
    private var wrote = 0
    private var proof: HonestProof?
    private var isUp = false
    private var isSecure: Bool
    private(set) var isOver = false
    private let own = try? JID("juliet@example.org/balcony")
    private let domain = try? JID("example.org")

    init(_ kind: UInt8, _ more: UInt8) {
        var configuration = NegotiationStateMachine.Configuration(
            domain: "example.org", local: "juliet", nonce: "abcdefghijklmnopqrstuvwx")
        configuration.resource = "balcony"
        configuration.password = Array("secret".utf8)
        configuration.policy.permitsPlain = kind & 1 != 0
        configuration.requiresTLS = kind & 2 == 0
        configuration.policy.permitsInsecure = kind & 2 != 0
        if kind & 4 != 0 { configuration.resumption = .init(previousID: "sm-1", received: 5) }
        if kind & 8 != 0 { configuration.purpose = .registration }
        configuration.enablesManagement = kind & 16 == 0
        if kind & 64 != 0 { proof = HonestProof() }
        configuration.usesSASL2 = kind & 128 == 0
        configuration.userAgent = UserAgent(id: "d4565fa7-4d72-4749-b3d3-740edbf87770")
        configuration.requestsToken = more & 1 != 0
        if more & 2 != 0 {
            configuration.token = FASTToken(
                mechanism: more & 4 != 0 ? "HT-SHA-256-EXPR" : "HT-SHA-256-NONE", secret: HonestProof.token)
        }
        configuration.bindsInLogin = more & 8 == 0
        configuration.sendsAhead = more & 16 != 0
        if more & 32 != 0 { configuration.knownOffer = Self.offer }
        if more & 64 != 0 { configuration.policy.requiresBinding = true }
        configuration.inline = [
            InlineBinding(
                feature: "urn:xmpp:carbons:2", request: Element(XMLName("enable", "urn:xmpp:carbons:2")))
        ]
        negotiation = NegotiationStateMachine(configuration)
        isSecure = kind & 32 != 0
        perform(negotiation.connected(secure: isSecure ? Self.bindings : nil))
    }

    private static let bindings = ChannelBindings(
        isTLS13: true, data: [.exporter: [UInt8](repeating: 7, count: 32), .serverEndPoint: [1, 2, 3]])

    private static let offer = StreamFeatures(
        Element(
            .streamFeatures,
            children: [
                Element(
                    .sasl2Authentication,
                    children: [
                        Element(.sasl2Mechanism, text: "SCRAM-SHA-1"),
                        Element(.sasl2Inline, children: [Element(XMLName("sm", "urn:xmpp:sm:3"))]),
                    ])
            ]))

    mutating func receive(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { parser.append($0) }
        while !isOver {
            let event: XMLStreamEvent
            do throws(XMLError) { event = try parser.next() } catch {
                precondition(!error.reason.isEmpty)
                isOver = true
                return
            }
            switch event {
            case .needsMoreBytes: return
            case .open(let header):
                guard !isUp else { return isOver = true }
                perform(negotiation.header(header, carriesStanzas: parser.hasDefaultNamespace("jabber:client")))
            case .stanza(let element):
                if isUp { handle(element) } else { perform(negotiation.element(proof?.completing(element) ?? element)) }
            case .close:
                if !isUp { perform(negotiation.closed()) }
                isOver = true
            }
        }
    }

    private mutating func perform(_ action: NegotiationStateMachine.Action) {
        switch action {
        case .open(let header):
            _ = try? header.write(to: &writer)
            restart()
        case .openAhead(let header, let elements):
            _ = try? header.write(to: &writer)
            for element in elements { send(element) }
            restart()
        case .send(let element): send(element)
        case .sendAll(let elements): for element in elements { send(element) }
        case .salt(let derivation):
            precondition(isSecure && proof != nil, "a new hash was to be made for somebody unproven")
            precondition((4096...500_000).contains(derivation.iterations) && !derivation.salt.isEmpty)
            let quick = SCRAMDerivation(hash: derivation.hash, salt: derivation.salt, iterations: 1)
            perform(negotiation.passwordSalted(quick.salted(password: Array("secret".utf8))))
        case .startTLS:
            let unread = parser.takeBufferedBytes()
            isSecure = true
            perform(negotiation.secured(Self.bindings))
            unread.withUnsafeBytes { parser.append($0) }
        case .derive(let derivation):
            precondition((4096...500_000).contains(derivation.iterations) && !derivation.salt.isEmpty)
            perform(
                negotiation.keysDerived(
                    SCRAMKeys(
                        hashName: derivation.hash.scramName, salt: derivation.salt, iterations: derivation.iterations,
                        clientKey: HonestProof.keys.client, serverKey: HonestProof.keys.server)))
        case .keep(let element): handle(element)
        case .bound(let stream):
            precondition(stream.jid.local == "juliet" && stream.jid.domain == "example.org", "another account is bound")
            var dropped: [UnacknowledgedQueue.Entry] = []
            _ = management.restarted(stream.management, handledBefore: nil, dropped: &dropped)
            isUp = true
        case .resumed: isUp = true
        case .unauthenticated: isUp = true
        case .fail: isOver = true
        default: break
        }
        writer.removeAll()
    }

    private mutating func send(_ element: Element) {
        proof?.sent(element)
        _ = try? writer.element(element, inheriting: "jabber:client")
    }

    /// What is buffered belongs to the stream that begins.
    private mutating func restart() {
        let unread = parser.takeBufferedBytes()
        parser.reset()
        unread.withUnsafeBytes { parser.append($0) }
    }

    private mutating func handle(_ element: Element) {
        guard let own, let domain else { return }
        if element.matches(.message) {
            management.handled(1)
            guard let message = try? decoder.message(element) else { return }
            _ = (message.body, message.originID, message.requestsReceipt, message.delay, message.nickname)
            if let carbon = message.carbon(for: own) {
                precondition(message.from == own.bare, "a forged copy was taken")
                _ = carbon.message.body
            }
            _ = try? message.write(to: &writer)
        } else if element.matches(.presence) {
            management.handled(1)
            guard let presence = try? decoder.presence(element) else { return }
            _ = (presence.kind, presence.subscriptionRequest)
            _ = try? presence.write(to: &writer)
        } else if element.matches(.iq) {
            management.handled(1)
            guard let iq = try? decoder.iq(element) else { return }
            if let id = iq.id, tracker.complete(id: id, from: iq.from, own: own, domain: domain) != nil {
                precondition(iq.from == nil || iq.from == domain || iq.from == own || iq.from == own.bare)
            }
            _ = tracker.open(id: iq.id ?? "", to: nil, token: 1)
            for payload in element.children { read(payload) }
            _ = try? iq.write(to: &writer)
        } else if element.matches(.streamError) {
            isOver = true
            _ = try? writer.element(StreamError(element).element, inheriting: "jabber:client")
        } else if element.matches(.managementAnswer), let handled = element["h"].flatMap({ UInt32($0) }) {
            let (sent, acknowledged) = (management.sent, management.acknowledged)
            if case .through = management.answered(handled) {
                precondition(management.acknowledged &- acknowledged <= sent &- acknowledged)
            }
        }
        writer.removeAll()
        wrote += 1
        if wrote.isMultiple(of: 3) {
            management.wrote(
                [UnacknowledgedQueue.Entry(sequence: UInt64(wrote), byteCount: 1, kind: .message, id: nil)], [1])
        }
    }

    private func read(_ payload: Element) {
        _ = (DataForm(payload), DiscoInfo(payload), SoftwareVersion(payload), EntityTime(payload), RosterItem(payload))
        for child in payload.children { _ = (RosterItem(child), DataForm(child)) }
    }
}
