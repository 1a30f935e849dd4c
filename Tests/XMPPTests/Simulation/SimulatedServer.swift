// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import XMPP

/// A server with one account: it logs in whoever comes, counts, resumes, and keeps what it could not deliver.
// Unchecked: it is used on the simulation's loop only.
final class SimulatedServer: @unchecked Sendable {
    /// How well it remembers sessions whose connection was lost.
    enum Memory: Sendable, CaseIterable {
        /// Until they are resumed.
        case good
        /// It forgets some, but not how much of them it handled.
        case countOnly
        /// It forgets some with everything they were.
        case bad
    }

    struct Outgoing {
        var id: String?
        var text: String
    }

    final class Session {
        let id: String
        /// Stanzas of the client that were handled.
        var handled: UInt32 = 0
        var sent: UInt32 = 0
        var unacknowledged: [Outgoing] = []
        var connection: Connection?
        /// A connection was lost in the middle of a stanza, and what comes next is read as the rest of it.
        var isInStanza = false
        init(_ id: String) { self.id = id }
    }

    final class Connection {
        let link: SimulatedLink
        var parser = XMLStreamParser(limits: .afterLogin)
        var isOpen = false
        var isLoggedIn = false
        var isBound = false
        /// Nothing that comes is understood.
        var isDeaf = false
        var session: Session?
        init(_ link: SimulatedLink) { self.link = link }
    }

    private let dice: Dice
    private let memory: Memory
    /// It reads a resumed stream with the parser of the connection that was lost, as Prosody 0.12 does.
    private let keepsParser: Bool
    private var connections: [Int: Connection] = [:]
    private var sessions: [String: Session] = [:]
    /// What forgotten sessions had handled.
    private var counts: [String: UInt32] = [:]
    private var offline: [Outgoing] = []
    private var sessionCount = 0

    /// The ids of the client's messages, in the order in which they were taken.
    private(set) var accepted: [String] = []
    /// What a client may not do.
    private(set) var faults: [String] = []
    private(set) var resumptions = 0
    private(set) var deafResumptions = 0
    private(set) var refusals = 0
    private let trace: (String) -> Void

    init(dice: Dice, memory: Memory, keepsParser: Bool, trace: @escaping (String) -> Void) {
        self.dice = dice
        self.memory = memory
        self.keepsParser = keepsParser
        self.trace = trace
    }

    func lost(_ link: SimulatedLink) {
        guard let connection = connections.removeValue(forKey: link.number) else { return }
        guard let session = connection.session else { return }
        session.isInStanza = session.isInStanza || connection.parser.bufferedBytes > 0
        session.connection = nil
        connection.session = nil
        if memory != .good, dice.chance(50) { forget(session) }
    }

    /// What was not acknowledged is kept for the next session, as servers with an offline store do.
    private func forget(_ session: Session) {
        guard sessions.removeValue(forKey: session.id) != nil else { return }
        trace("server: forgets \(session.id) at \(session.handled)")
        if memory == .countOnly { counts[session.id] = session.handled }
        offline = session.unacknowledged.filter { $0.id != nil } + offline
    }

    /// Somebody sends the account a message.
    func deliver(_ id: String) {
        let text =
            "<message from='romeo@example.net/orchard' to='juliet@example.org' type='chat' id='\(id)'>"
            + "<body>\(id) é&lt;🦊</body></message>"
        let message = Outgoing(id: id, text: text)
        if let session = sessions.values.first { return send(message, in: session) }
        offline.append(message)
    }

    private func send(_ stanza: Outgoing, in session: Session) {
        session.sent &+= 1
        session.unacknowledged.append(stanza)
        guard let connection = session.connection else { return }
        write(stanza.text, connection)
        if dice.chance(30) { write("<r xmlns='urn:xmpp:sm:3'/>", connection) }
    }

    private func write(_ text: String, _ connection: Connection) {
        guard !connection.link.isServerGone else { return }
        connection.link.send(Array(text.utf8), .toClient)
    }

    func received(_ bytes: [UInt8], _ link: SimulatedLink) {
        let connection = connections[link.number] ?? Connection(link)
        connections[link.number] = connection
        guard !connection.isDeaf else { return }
        bytes.withUnsafeBytes { connection.parser.append($0) }
        while connections[link.number] != nil, !connection.isDeaf {
            do {
                switch try connection.parser.next() {
                case .needsMoreBytes: return
                case .open: openStream(connection)
                case .stanza(let element): handle(element, connection)
                case .close:
                    // In good order: the session is over, nothing is to be resumed.
                    if let session = connection.session {
                        connection.session = nil
                        session.connection = nil
                        replace(session)
                    }
                    write("</stream:stream>", connection)
                    link.serverClosed()
                    connections[link.number] = nil
                }
            } catch {
                // A client that gives up while it waits for a new stream may close the old one.
                guard connection.isOpen else { return }
                faults.append("the client wrote broken XML: \(error.reason)")
                return
            }
        }
    }

    private func openStream(_ connection: Connection) {
        connection.isOpen = true
        let features =
            connection.isLoggedIn
            ? "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:3'/>"
            : "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms>"
        write(
            "<?xml version='1.0'?><stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
                + "id='s\(connection.link.number)' from='example.org' version='1.0'><stream:features>\(features)"
                + "</stream:features>", connection)
    }

    private func handle(_ element: Element, _ connection: Connection) {
        switch element.localName {
        case "auth":
            connection.isLoggedIn = true
            connection.isOpen = false
            connection.parser.reset()
            write("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", connection)
        case "resume": resume(element, connection)
        case "enable": enable(connection)
        case "r":
            if let session = connection.session {
                write("<a xmlns='urn:xmpp:sm:3' h='\(session.handled)'/>", connection)
            }
        case "a": acknowledged(element, connection.session)
        case "error": faults.append("the client ended the stream: \(element.xml)")
        default: stanza(element, connection)
        }
    }

    private func stanza(_ element: Element, _ connection: Connection) {
        let isCounted = connection.session != nil
        connection.session?.handled &+= 1
        switch element.localName {
        case "message":
            if !isCounted { faults.append("a message outside of any session") }
            accepted.append(element["id"] ?? "")
        case "iq" where element["type"] == "set" && !connection.isBound:
            connection.isBound = true
            write(
                "<iq type='result' id='\(element["id"] ?? "")'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                    + "<jid>juliet@example.org/balcony</jid></bind></iq>", connection)
        case "iq" where element["type"] == "get":
            guard let session = connection.session else { break }
            send(Outgoing(text: "<iq type='result' from='example.org' id='\(element["id"] ?? "")'/>"), in: session)
        default: break
        }
    }

    private func enable(_ connection: Connection) {
        guard connection.session == nil else { return faults.append("stream management was enabled twice") }
        // One resource: a new session ends the one of before.
        for old in sessions.values { replace(old) }
        sessionCount += 1
        let session = Session("sm-\(sessionCount)")
        sessions[session.id] = session
        session.connection = connection
        connection.session = session
        write("<enabled xmlns='urn:xmpp:sm:3' id='\(session.id)' resume='true'/>", connection)
        let waiting = offline
        offline = []
        for message in waiting { send(message, in: session) }
    }

    private func replace(_ session: Session) {
        if let connection = session.connection {
            connection.session = nil
            session.connection = nil
            connections[connection.link.number] = nil
            connection.link.serverClosed()
        }
        sessions[session.id] = nil
        offline = session.unacknowledged.filter { $0.id != nil } + offline
    }

    private func resume(_ element: Element, _ connection: Connection) {
        let id = element["previd"] ?? ""
        if connection.isBound { faults.append("a resumption after binding") }
        guard let session = sessions[id] else {
            refusals += 1
            let count = counts[id].map { " h='\($0)'" } ?? ""
            trace("server: refuses \(id)\(count)")
            return write("<failed xmlns='urn:xmpp:sm:3'\(count)/>", connection)
        }
        resumptions += 1
        // The old connection may not have been noticed to be dead.
        if let old = session.connection {
            session.isInStanza = session.isInStanza || old.parser.bufferedBytes > 0
            old.session = nil
            connections[old.link.number] = nil
            old.link.serverClosed()
        }
        session.connection = connection
        connection.session = session
        connection.isBound = true
        connection.isDeaf = keepsParser && session.isInStanza
        if connection.isDeaf { deafResumptions += 1 }
        acknowledged(element, session)
        trace("server: resumes \(id), client has \(element["h"] ?? "?"), we have \(session.handled)")
        write("<resumed xmlns='urn:xmpp:sm:3' previd='\(id)' h='\(session.handled)'/>", connection)
        for stanza in session.unacknowledged { write(stanza.text, connection) }
        if dice.chance(50) { write("<r xmlns='urn:xmpp:sm:3'/>", connection) }
    }

    private func acknowledged(_ element: Element, _ session: Session?) {
        guard let session, let handled = element["h"].flatMap({ UInt32($0) }) else {
            return faults.append("an acknowledgement that says nothing")
        }
        let before = session.sent &- UInt32(session.unacknowledged.count)
        let count = Int(handled &- before)
        guard count <= session.unacknowledged.count else {
            return faults.append("acknowledged \(handled) of \(session.sent), \(before) were known")
        }
        session.unacknowledged.removeFirst(count)
    }
}
