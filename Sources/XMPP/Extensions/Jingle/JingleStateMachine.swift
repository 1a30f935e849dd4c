// SPDX-License-Identifier: Apache-2.0

/// Decides about the steps of one session with one content: a file and a stream of bytes for it (XEP-0166 §5, §6).
struct JingleStateMachine: Sendable, Equatable {
    enum Role: Sendable, Equatable {
        case initiator, responder
    }

    enum Phase: Sendable, Equatable {
        /// Offered, and not accepted yet.
        case pending
        /// We asked for another transport.
        case replacing
        case active
        case ended
    }

    /// What follows from a step of the other side.
    enum Effect: Sendable, Equatable {
        /// The other side wants the file or a part of it, in blocks of that size.
        case accepted(sid: String, blockSize: Int, part: FilePart = FilePart())
        /// The other side takes the transport that we asked for.
        case replaced
        case send(Jingle)
        case checksum([ContentHash])
        /// The other side has the whole file.
        case received
        case ended(JingleReason)
    }

    enum Answer: Sendable, Equatable {
        case acknowledge([Effect])
        case refuse(StanzaError)
    }

    let role: Role
    let sid: String
    private(set) var phase = Phase.pending
    private(set) var content: JingleContent

    init(_ role: Role, sid: String, content: JingleContent) {
        self.role = role
        self.sid = sid
        self.content = content
    }

    // MARK: What we do

    /// The offer, from the one who begins.
    func initiate(from own: JID) -> Jingle {
        var jingle = Jingle(.sessionInitiate, sid: sid, contents: [content])
        jingle.initiator = own
        return jingle
    }

    /// Accepts the offer; nil when there is none any more, or with a transport that we do not have.
    mutating func accept(as own: JID) -> Jingle? {
        guard role == .responder, phase == .pending, case .inBand = content.transport else { return nil }
        phase = .active
        var jingle = Jingle(.sessionAccept, sid: sid, contents: [content])
        jingle.responder = own
        return jingle
    }

    /// Asks for a stream of bytes inside the stream instead of what was offered.
    mutating func replaceTransport(sid stream: String, blockSize: Int) -> Jingle? {
        guard role == .responder, phase == .pending else { return nil }
        phase = .replacing
        content.transport = .inBand(sid: stream, blockSize: blockSize)
        return Jingle(.transportReplace, sid: sid, contents: [bare(content)])
    }

    /// Ends the session; nil when it has ended.
    mutating func terminate(_ reason: JingleReason) -> Jingle? {
        guard phase != .ended else { return nil }
        phase = .ended
        return Jingle(.sessionTerminate, sid: sid, reason: reason)
    }

    // MARK: What the other side does

    mutating func received(_ jingle: Jingle) -> Answer {
        guard phase != .ended else { return .refuse(Self.unknownSession) }
        switch jingle.action {
        case .sessionTerminate:
            phase = .ended
            return .acknowledge([.ended(jingle.reason ?? JingleReason("general-error"))])
        case .sessionAccept: return accepted(jingle)
        case .sessionInfo: return informed(jingle)
        case .transportReplace: return replace(jingle)
        case .transportAccept:
            guard role == .responder, phase == .replacing, let other = only(jingle),
                case .inBand(let stream, let size)? = other.transport,
                case .inBand(let own, let limit)? = content.transport,
                stream == own, size <= limit
            else { return .refuse(Self.outOfOrder) }
            content.transport = .inBand(sid: stream, blockSize: size)
            phase = .pending
            return .acknowledge([.replaced])
        case .transportReject:
            guard phase == .replacing else { return .refuse(Self.outOfOrder) }
            phase = .ended
            let end = Jingle(.sessionTerminate, sid: sid, reason: .unsupportedTransports)
            return .acknowledge([.send(end), .ended(.unsupportedTransports)])
        // Addresses to connect to and the like: nothing is done with them.
        case .transportInfo, .descriptionInfo: return .acknowledge([])
        case .sessionInitiate: return .refuse(Self.outOfOrder)
        case .contentAccept, .contentAdd, .contentModify, .contentReject, .contentRemove, .securityInfo:
            return .refuse(StanzaError(.featureNotImplemented, kind: .cancel))
        }
    }

    private mutating func accepted(_ jingle: Jingle) -> Answer {
        guard role == .initiator, phase == .pending else { return .refuse(Self.outOfOrder) }
        guard let other = only(jingle), case .inBand(let stream, let size)? = other.transport,
            case .inBand(let own, let limit)? = content.transport, stream == own, size <= limit
        else { return .refuse(StanzaError(.badRequest, kind: .cancel)) }
        var part = FilePart()
        if case .file(let file)? = other.description, let wanted = file.range { part = wanted }
        phase = .active
        return .acknowledge([.accepted(sid: stream, blockSize: size, part: part)])
    }

    private func informed(_ jingle: Jingle) -> Answer {
        switch jingle.information {
        case .ping: .acknowledge([])
        case .checksum(let hashes) where role == .responder: .acknowledge([.checksum(hashes)])
        case .received where role == .initiator: .acknowledge([.received])
        case .checksum, .received: .refuse(Self.outOfOrder)
        case .other:
            .refuse(
                StanzaError(
                    .featureNotImplemented, kind: .modify,
                    application: Element(XMLName("unsupported-info", Jingle.errors))))
        }
    }

    /// The other side wants another transport: only one inside the stream will do.
    private mutating func replace(_ jingle: Jingle) -> Answer {
        guard phase == .pending, let other = only(jingle) else { return .refuse(Self.outOfOrder) }
        guard role == .initiator, case .inBand? = other.transport else {
            return .acknowledge([.send(Jingle(.transportReject, sid: sid, contents: [bare(content)]))])
        }
        content.transport = other.transport
        return .acknowledge([.send(Jingle(.transportAccept, sid: sid, contents: [bare(content)]))])
    }

    private func only(_ jingle: Jingle) -> JingleContent? {
        guard jingle.contents.count == 1, let other = jingle.contents.first, other.name == content.name else {
            return nil
        }
        return other
    }

    private func bare(_ content: JingleContent) -> JingleContent {
        var bare = content
        bare.description = nil
        return bare
    }

    static let outOfOrder = StanzaError(
        .unexpectedRequest, kind: .wait, application: Element(XMLName("out-of-order", Jingle.errors)))
    static let unknownSession = StanzaError(
        .itemNotFound, kind: .cancel, application: Element(XMLName("unknown-session", Jingle.errors)))
}
