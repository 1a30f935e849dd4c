// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

/// A session against a scripted server, without a presence of its own accord and without waits between attempts.
struct SessionFixture {
    let peer = ScriptedPeer()
    let clock = ManualClock()
    let session: XMPPSession

    init(
        _ address: String = "juliet@example.org/balcony", store: RecordingStore? = nil, movesClock: Bool = false,
        _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = SessionConfiguration()
        configuration.connector = peer
        configuration.randomness = SeededRandomness()
        configuration.initialPresence = nil
        configuration.reconnect = ReconnectPolicy(minimum: .zero, maximum: .zero, stableAfter: .zero)
        if movesClock {
            configuration.clock = clock
            configuration.reconnect = ReconnectPolicy()
        }
        change(&configuration)
        session = XMPPSession(
            account: try Account(address, password: "secret"), configuration: configuration, store: store)
    }

    /// Gets the session online; with stream management unless told otherwise.
    func connect(managed: Bool = true, id: String = "sm-1") async throws {
        async let connecting: Void = session.connect()
        await acceptReconnection(features: managed ? ScriptedPeer.bindFeatures : Self.bindOnly)
        await peer.acceptBind(managed: managed, id: id)
        try await connecting
    }

    static let bindOnly = "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"

    /// The login of a later stream, up to the features after it.
    func acceptReconnection(features: String = ScriptedPeer.bindFeatures) async {
        while let step = await peer.next() { if case .header = step { break } }
        peer.openStream(id: "clear", ScriptedPeer.tlsFeature)
        await peer.expect("starttls")
        peer.inject("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        await peer.expectHeader()
        peer.openStream(id: "tls", ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await peer.acceptSCRAM()
        await peer.expectHeader()
        peer.openStream(id: "up", features)
    }

    /// The next login resumes, and the question that follows is answered; gives the `h` that the session said.
    @discardableResult
    func acceptResumption(
        h: Int, previous: String = "sm-1", answers: Bool = true, _ location: SourceLocation = #_sourceLocation
    ) async -> String? {
        await acceptReconnection()
        let resume = await peer.expect("resume", "urn:xmpp:sm:3", location)
        #expect(resume?["previd"] == previous, sourceLocation: location)
        peer.inject("<resumed xmlns='urn:xmpp:sm:3' previd='\(previous)' h='\(h)'/>")
        if answers { acknowledge(h) }
        return resume?["h"]
    }

    /// The next login is refused its resumption and binds anew.
    @discardableResult
    func refuseResumption(h: Int? = nil, id: String = "sm-2") async -> String? {
        await acceptReconnection()
        let resume = await peer.expect("resume", "urn:xmpp:sm:3")
        let count = h.map { " h='\($0)'" } ?? ""
        peer.inject(
            "<failed xmlns='urn:xmpp:sm:3'\(count)><item-not-found xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>"
        )
        await peer.acceptBind(id: id)
        return resume?["h"]
    }

    /// Sends `<r/>` and gives the count of the answer.
    func count(_ location: SourceLocation = #_sourceLocation) async -> String? {
        peer.inject("<r xmlns='urn:xmpp:sm:3'/>")
        return await expect("a", location)?["h"]
    }

    /// The next element, which must have that name; requests for acknowledgement before it are passed over.
    @discardableResult
    func expect(_ name: String, _ location: SourceLocation = #_sourceLocation) async -> Element? {
        while let step = await peer.next() {
            guard case .element(let element) = step, element.localName == name else {
                if case .element(let element) = step, element.localName == "r" { continue }
                Issue.record("expected <\(name)/>, got \(step)", sourceLocation: location)
                return nil
            }
            return element
        }
        Issue.record("expected <\(name)/>, got nothing", sourceLocation: location)
        return nil
    }

    /// The next message; requests for acknowledgement before it are passed over.
    func message(_ location: SourceLocation = #_sourceLocation) async -> Element? { await expect("message", location) }

    func acknowledge(_ h: Int) { peer.inject("<a xmlns='urn:xmpp:sm:3' h='\(h)'/>") }

    /// Leaves, whatever the peer says; goodbyes are not what the test is about.
    func leave() async {
        peer.cut(nil)
        await session.disconnect()
    }

    static func message(_ body: String, id: String = "m", from: String = "romeo@example.net/orchard") -> String {
        "<message from='\(from)' to='juliet@example.org/balcony' type='chat' id='\(id)'><body>\(body)</body></message>"
    }
}

extension Subscription.Iterator where Value == Message {
    /// The bodies of the next messages.
    mutating func bodies(_ count: Int) async throws -> [String] {
        var bodies: [String] = []
        while bodies.count < count, let message = try await next() { bodies.append(message.body ?? "") }
        return bodies
    }
}

/// Collects what happens to a session, so that a test can wait for it.
struct EventReader {
    var iterator: Subscription<SessionEvent>.Iterator

    init(_ session: XMPPSession) { iterator = session.events().makeAsyncIterator() }

    /// Skips to the next event that the closure wants.
    mutating func next<R>(_ pick: (SessionEvent) -> R?) async throws -> R? {
        while let event = try await iterator.next() { if let found = pick(event) { return found } }
        return nil
    }

    /// The reason of the next interruption, and the wait after it.
    mutating func interruption() async throws -> (XMPPError, Duration)? {
        try await next { if case .interrupted(let error, let wait) = $0 { (error, wait) } else { nil } }
    }
}

/// Counts changes of the contact list.
///
/// Owner of the state: its lock.
final class RosterPushes: Sendable {
    private let pushes = Locked<[RosterPush]>([])
    func add(_ push: RosterPush) { pushes.withLock { $0.append(push) } }
    var count: Int { pushes.withLock { $0.count } }
}
