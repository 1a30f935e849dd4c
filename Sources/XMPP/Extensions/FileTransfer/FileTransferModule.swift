// SPDX-License-Identifier: Apache-2.0

/// Takes part in file transfers between two programs: by Jingle (XEP-0166, XEP-0234, XEP-0261), and by the protocol before it
/// (XEP-0095, XEP-0096) that Spark and others know; the bytes go inside the stream (XEP-0047).
///
/// Add it to ``SessionConfiguration/modules``, read ``XMPPSession/fileOffers()``, and send with
/// ``XMPPSession/sendFile(_:to:name:mediaType:explanation:patience:progress:)``. No connection is ever made to an address
/// that somebody else names: offers over SOCKS5 are declined with a reason (XEP-0065), or another way is asked for.
public struct FileTransferModule: SessionModule {
    /// Makes the module.
    public init() {}

    /// Jingle, files, streams of bytes, and the protocol before.
    public var features: [String] {
        [
            Jingle.namespace, JingleFile.namespace, JingleContent.inBandName.namespace, InBand.namespace,
            StreamInitiation.namespace, StreamInitiation.profile, ContentHash.namespace,
            "urn:xmpp:hash-function-text-names:sha-256",
        ]
    }

    private static let bytestreams = XMLName("query", "http://jabber.org/protocol/bytestreams")

    /// The steps of Jingle, offers of the protocol before, the parts of a stream of bytes, and SOCKS5, to refuse it.
    public var requests: [XMLName] {
        [
            Jingle.name, StreamInitiation.name, InBandOpen.name, InBandData.name, InBandClose.name, Self.bytestreams,
        ]
    }

    /// Answers for the transfer that the sender has with this session, and for no other.
    public func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        guard let session = context.session, let payload = request.payload, let peer = request.from else {
            return .error(StanzaError(.badRequest))
        }
        let transfers = session.inboxes.transfers
        guard request.kind == .set else { return .error(StanzaError(.badRequest)) }
        switch payload.name {
        case InBandOpen.name:
            guard let open = InBandOpen(payload) else { return .error(StanzaError(.badRequest)) }
            guard let file = transfers.stream(peer, open.sid) else {
                return .error(StanzaError(.notAcceptable, kind: .cancel))
            }
            return file.opened(open)
        case InBandData.name:
            guard let sid = InBand.sid(payload), let file = transfers.stream(peer, sid) else {
                return .error(StanzaError(.itemNotFound))
            }
            return InBandData(payload).map { file.received($0) } ?? file.malformed()
        case InBandClose.name:
            guard let close = InBandClose(payload), let file = transfers.stream(peer, close.sid) else {
                return .error(StanzaError(.itemNotFound))
            }
            return file.closed()
        case Jingle.name: return jingle(payload, peer, session)
        case StreamInitiation.name: return initiation(payload, peer, session)
        default:
            return .error(
                StanzaError(
                    .notAcceptable, kind: .cancel, text: "no connections are made to addresses that others name"))
        }
    }

    private func jingle(_ payload: Element, _ peer: JID, _ session: XMPPSession) -> RequestAnswer {
        guard let step = Jingle(payload) else { return .error(StanzaError(.badRequest)) }
        let transfers = session.inboxes.transfers
        if let known = transfers.session(peer, step.sid) { return known.received(step, session) }
        guard step.action == .sessionInitiate else { return .error(JingleStateMachine.unknownSession) }
        guard peer.resource != nil, step.contents.count == 1, let content = step.contents.first,
            content.creator == "initiator", let transport = content.transport
        else { return .error(StanzaError(.badRequest)) }

        let begun = JingleSession(JingleStateMachine(.responder, sid: step.sid, content: content), peer: peer)
        guard case .file(let file)? = content.description, content.senders == "initiator" else {
            begun.end(.unsupportedApplications, session)
            return .result(nil)
        }
        // What is about addresses is not even kept.
        _ = transport
        guard !transfers.offers.isEmpty else {
            begun.end(.decline, session)
            return .result(nil)
        }
        guard transfers.add(begun) else { return .error(StanzaError(.resourceConstraint)) }
        let offer = JingleOffer(session, begun, file.metadata)
        offer.state.start(session.configuration.clock) { offer.close(.timeout) }
        _ = transfers.offers.publish([FileOffer(from: peer, metadata: file.metadata, answer: offer)])
        return .result(nil)
    }

    private func initiation(_ payload: Element, _ peer: JID, _ session: XMPPSession) -> RequestAnswer {
        guard payload["profile"] == StreamInitiation.profile else { return .error(StreamInitiation.badProfile) }
        guard let offer = StreamInitiation(payload), peer.resource != nil else {
            return .error(StanzaError(.badRequest))
        }
        guard offer.methods.contains(InBand.namespace) else { return .error(StreamInitiation.noValidStreams) }
        let transfers = session.inboxes.transfers
        guard !transfers.offers.isEmpty else { return .error(StreamInitiation.declined) }
        let waiting = InitiationOffer(session, peer, offer)
        guard transfers.add(waiting, peer, offer.id) else { return .error(StanzaError(.resourceConstraint)) }
        waiting.state.start(session.configuration.clock) { waiting.refuse(StreamInitiation.declined) }
        _ = transfers.offers.publish([FileOffer(from: peer, metadata: offer.metadata, answer: waiting)])
        return .later { await waiting.answer() }
    }
}

extension XMPPSession {
    /// Files that others offer from now on; needs ``FileTransferModule``.
    ///
    /// While nobody reads them, every offer is declined. An offer is open for five minutes; of one account at most eight
    /// are at a time.
    public nonisolated func fileOffers() -> Subscription<FileOffer> { inboxes.transfers.offers.subscribe() }
}
