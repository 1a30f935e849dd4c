// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Testing
import XMPP

/// Elements as they arrive: parsed from text inside a stream.
enum Wire {
    static let header =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' "
        + "id='s1' from='example.org' version='1.0'>"

    /// The first-level elements of a stream, its header left out.
    static func elements(_ text: String, header: String = Wire.header) -> [Element] {
        var parser = XMLStreamParser(limits: .afterLogin)
        Array((header + text).utf8).withUnsafeBytes { parser.append($0) }
        var elements: [Element] = []
        while let event = try? parser.next() {
            if case .stanza(let element) = event { elements.append(element) }
            if case .needsMoreBytes = event { break }
        }
        return elements
    }

    static func element(_ text: String) throws -> Element { try #require(elements(text).first) }

    /// A stream header by itself.
    static func header(_ text: String = Wire.header) throws -> Element {
        var parser = XMLStreamParser(limits: .beforeLogin)
        Array(text.utf8).withUnsafeBytes { parser.append($0) }
        guard case .open(let header) = try parser.next() else { throw XMPPError(.invalidReply, "no header") }
        return header
    }
}

@Suite("From the open socket to the bound stream")
struct NegotiationStateMachineTests {
    typealias Machine = NegotiationStateMachine

    static let tls = ChannelBindings(isTLS13: true, data: [.exporter: [7]])
    static let afterLogin =
        "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:3'/></stream:features>"

    static func machine(_ change: (inout Machine.Configuration) -> Void = { _ in }) -> Machine {
        var configuration = Machine.Configuration(domain: "example.org", local: "juliet", nonce: "0123456789abcdef")
        configuration.password = Array("secret".utf8)
        configuration.policy.permitsPlain = true
        configuration.resource = "balcony"
        change(&configuration)
        return Machine(configuration)
    }

    /// A machine whose login was accepted: the features after it come next.
    static func loggedIn(_ change: (inout Machine.Configuration) -> Void = { _ in }) throws -> Machine {
        var machine = machine(change)
        _ = machine.connected(secure: tls)
        _ = machine.header(try Wire.header(), carriesStanzas: true)
        _ = machine.element(
            try Wire.element(
                "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
                    + "<mechanism>PLAIN</mechanism></mechanisms></stream:features>"))
        let action = machine.element(try Wire.element("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"))
        #expect(action == .open(StreamHeader(to: "example.org", from: "juliet@example.org")))
        #expect(machine.header(try Wire.header(), carriesStanzas: true) == .wait)
        return machine
    }

    /// One that asked for an address; gives the id of the request, too.
    static func binding(_ change: (inout Machine.Configuration) -> Void = { _ in }) throws -> (Machine, String) {
        var machine = try loggedIn(change)
        guard case .send(let bind) = machine.element(try Wire.element(afterLogin)), let id = bind["id"] else {
            throw XMPPError(.invalidReply, "no bind")
        }
        return (machine, id)
    }

    static func result(_ id: String, _ jid: String = "juliet@example.org/balcony") throws -> Element {
        try Wire.element(
            "<iq type='result' id='\(id)'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'><jid>\(jid)</jid></bind></iq>")
    }

    static func failure(_ action: Machine.Action) -> (XMPPError, StreamError?)? {
        if case .fail(let error, let streamError) = action { (error, streamError) } else { nil }
    }

    @Test("T015 T028 without TLS on offer nothing is sent")
    func noTLS() throws {
        var machine = Self.machine()
        #expect(machine.connected(secure: nil) == .open(StreamHeader(to: "example.org")))
        _ = machine.header(try Wire.header(), carriesStanzas: true)
        let action = machine.element(
            try Wire.element(
                "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
                    + "<mechanism>PLAIN</mechanism></mechanisms></stream:features>"))
        #expect(Self.failure(action)?.0.code == .tlsNotOffered)
    }

    @Test(
        "T019 T093 each state takes only what may come in it",
        arguments: [
            "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
            "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
            "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", "<message><body>hi</body></message>", "<presence/>",
            "<iq type='get' id='1'><query xmlns='jabber:iq:version'/></iq>", "<enabled xmlns='urn:xmpp:sm:3' id='x'/>",
            "<resumed xmlns='urn:xmpp:sm:3' previd='x' h='0'/>", "<a xmlns='urn:xmpp:sm:3' h='0'/>",
            "<r xmlns='urn:xmpp:sm:3'/>", "<failed xmlns='urn:xmpp:sm:3'/>", "<bound xmlns='urn:xmpp:bind:0'/>",
            "<success xmlns='urn:xmpp:sasl:2'/>", "<features/>", "<handshake/>",
        ])
    func allowLists(_ text: String) throws {
        let element = try Wire.element(text)
        // Before the features, without and with TLS.
        for secure in [nil, Self.tls] {
            var machine = Self.machine()
            _ = machine.connected(secure: secure)
            _ = machine.header(try Wire.header(), carriesStanzas: true)
            #expect(Self.failure(machine.element(element))?.0.code == .protocolViolation)
        }
        // While TLS starts, where only <proceed/> may come, and in its handshake.
        var starting = Self.machine()
        _ = starting.connected(secure: nil)
        _ = starting.header(try Wire.header(), carriesStanzas: true)
        let offer = try Wire.element(
            "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/></stream:features>")
        #expect(starting.element(offer) == .send(Element(.startTLS)))
        if element.matches(.proceed) {
            #expect(starting.element(element) == .startTLS)
            #expect(Self.failure(starting.element(element))?.0.code == .protocolViolation)
        } else {
            #expect(Self.failure(starting.element(element))?.0.code == .protocolViolation)
        }
        // After the login, before the features.
        var authenticated = try Self.loggedIn()
        #expect(Self.failure(authenticated.element(element))?.0.code == .protocolViolation)
    }

    @Test("T016 T057 a second stream header is refused in every state")
    func secondHeader() throws {
        var machine = Self.machine()
        _ = machine.connected(secure: nil)
        #expect(machine.header(try Wire.header(), carriesStanzas: true) == .wait)
        #expect(Self.failure(machine.header(try Wire.header(), carriesStanzas: true))?.1?.condition == .badFormat)
    }

    @Test("T020 what was learnt before TLS is gone after it")
    func forgetsFeatures() throws {
        var machine = Self.machine()
        _ = machine.connected(secure: nil)
        _ = machine.header(try Wire.header(), carriesStanzas: true)
        _ = machine.element(
            try Wire.element(
                "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/><mechanisms "
                    + "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><mechanism>PLAIN</mechanism></mechanisms></stream:features>"
            ))
        #expect(machine.element(try Wire.element("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")) == .startTLS)
        #expect(machine.secured(Self.tls) == .open(StreamHeader(to: "example.org", from: "juliet@example.org")))
        _ = machine.header(try Wire.header(), carriesStanzas: true)
        let action = machine.element(try Wire.element("<stream:features/>"))
        #expect(Self.failure(action)?.0.code == .noUsableMechanism)
    }

    @Test("T096 B146 resumption comes before any bind, and only a refusal leads to one")
    func resumesFirst() throws {
        var machine = try Self.loggedIn { $0.resumption = .init(previousID: "old", received: 7) }
        let action = machine.element(try Wire.element(Self.afterLogin))
        #expect(action == .send(StreamManagement.resume(.init(previousID: "old", received: 7))))
        var refused = machine
        guard
            case .resumed(let stream) = machine.element(
                try Wire.element("<resumed xmlns='urn:xmpp:sm:3' previd='old' h='12'/>"))
        else {
            Issue.record("not resumed")
            return
        }
        #expect(stream.handled == 12)
        let bind = refused.element(try Wire.element("<failed xmlns='urn:xmpp:sm:3' h='5'/>"))
        guard case .send(let request) = bind, let id = request["id"] else {
            Issue.record("no bind after the refusal")
            return
        }
        #expect(request.child(.bind)?.child(.bindResource)?.text == "balcony")
        _ = refused.element(try Self.result(id))
        guard
            case .bound(let fresh) = refused.element(
                try Wire.element("<enabled xmlns='urn:xmpp:sm:3' id='new' resume='1' max='600' location='h:1'/>"))
        else {
            Issue.record("not bound")
            return
        }
        #expect(fresh.failedResumption == .init(handled: 5))
        #expect(fresh.management == .init(id: "new", canResume: true, maximumSeconds: 600, location: "h:1"))
    }

    @Test(
        "T093 an answer that resumes another stream than ours ends it",
        arguments: [
            "<resumed xmlns='urn:xmpp:sm:3' previd='other' h='0'/>", "<resumed xmlns='urn:xmpp:sm:3' h='0'/>",
            "<resumed xmlns='urn:xmpp:sm:3' previd='old'/>", "<resumed xmlns='urn:xmpp:sm:3' previd='old' h='-1'/>",
            "<resumed xmlns='urn:xmpp:sm:3' previd='old' h='4294967296'/>",
            "<resumed xmlns='urn:xmpp:sm:2' previd='old' h='0'/>",
            "<enabled xmlns='urn:xmpp:sm:3' id='x' resume='true'/>", "<message><body>early</body></message>",
            "<a xmlns='urn:xmpp:sm:3' h='0'/>",
        ])
    func wrongResumption(_ text: String) throws {
        var machine = try Self.loggedIn { $0.resumption = .init(previousID: "old", received: 7) }
        _ = machine.element(try Wire.element(Self.afterLogin))
        #expect(Self.failure(machine.element(try Wire.element(text)))?.0.code == .protocolViolation)
    }

    @Test(
        "T085 T093 odd numbers in <enabled/> and <failed/> are no numbers, and no trap",
        arguments: [
            "", "-1", "4294967296", "99999999999999999999999999", "1e3", "0x10", " 5", "NaN",
        ])
    func oddNumbers(_ number: String) throws {
        var (machine, id) = try Self.binding()
        _ = machine.element(try Self.result(id))
        guard
            case .bound(let stream) = machine.element(
                try Wire.element("<enabled xmlns='urn:xmpp:sm:3' id='new' resume='true' max='\(number)'/>"))
        else {
            Issue.record("not bound")
            return
        }
        #expect(stream.management?.maximumSeconds == nil)
        var resuming = try Self.loggedIn { $0.resumption = .init(previousID: "old", received: 7) }
        _ = resuming.element(try Wire.element(Self.afterLogin))
        guard case .send = resuming.element(try Wire.element("<failed xmlns='urn:xmpp:sm:3' h='\(number)'/>")) else {
            Issue.record("no bind after the refusal")
            return
        }
    }

    @Test(
        "T042 only the address of the account that logged in is taken",
        arguments: [
            "romeo@example.org/balcony", "juliet@example.net/balcony", "juliet@example.org", "example.org/balcony",
            "juliet@evil.example.org/x", "@example.org/x", "",
        ])
    func foreignAddress(_ jid: String) throws {
        var (machine, id) = try Self.binding()
        #expect(Self.failure(machine.element(try Self.result(id, jid)))?.0.code == .protocolViolation)
    }

    @Test(
        "OF11 the server may spell and choose the resource as it likes",
        arguments: [
            "juliet@example.org/0f6c2a1e-8d2b-4c55-9b1e-3f7a3c1d9e10", "JULIET@EXAMPLE.ORG/balcony",
            "juliet@example.org/é",
        ])
    func chosenResource(_ jid: String) throws {
        var (machine, id) = try Self.binding { $0.enablesManagement = false }
        guard case .bound(let stream) = machine.element(try Self.result(id, jid)) else {
            Issue.record("\(jid) was not taken")
            return
        }
        #expect(stream.jid == (try JID(jid)))
        #expect(stream.management == nil)
    }

    @Test("B153 stanzas between the bind and <enabled/> are kept, anything else is not")
    func earlyStanzas() throws {
        var (machine, id) = try Self.binding()
        #expect(machine.element(try Self.result(id)) == .send(StreamManagement.enable))
        for text in ["<message><body>early</body></message>", "<presence from='bo@example.org/x'/>"] {
            let element = try Wire.element(text)
            #expect(machine.element(element) == .keep(element))
        }
        var other = machine
        #expect(
            Self.failure(other.element(try Wire.element("<a xmlns='urn:xmpp:sm:3' h='0'/>")))?.0.code
                == .protocolViolation)
        guard case .bound(let stream) = machine.element(try Wire.element("<failed xmlns='urn:xmpp:sm:3'/>")) else {
            Issue.record("not bound without stream management")
            return
        }
        #expect(stream.management == nil)
    }

    @Test("T041 challenges without end are cut off")
    func endlessChallenges() throws {
        var machine = Self.machine()
        _ = machine.connected(secure: Self.tls)
        _ = machine.header(try Wire.header(), carriesStanzas: true)
        _ = machine.element(
            try Wire.element(
                "<stream:features><mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
                    + "<mechanism>SCRAM-SHA-1</mechanism></mechanisms></stream:features>"))
        var rounds = 0
        let challenge = try Wire.element(
            "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
                + base64(Array("r=0123456789abcdefx,s=c2FsdHNhbHQ=,i=4096".utf8)) + "</challenge>")
        while rounds < 10 {
            rounds += 1
            let action = machine.element(challenge)
            if case .derive(let derivation) = action {
                _ = machine.keysDerived(derivation.keys(password: Array("secret".utf8)))
            } else {
                #expect(Self.failure(action) != nil)
                break
            }
        }
        #expect(rounds < 10)
    }

    @Test(
        "OF07 T015 an error that closes the stream during the login is shown",
        arguments: [
            (
                "<stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
                StreamError.Condition.hostUnknown
            ),
            (
                "<s:error xmlns:s='http://etherx.jabber.org/streams'><not-authorized xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></s:error>",
                .notAuthorized
            ),
            ("<stream:error/>", .undefinedCondition),
        ])
    func streamErrors(_ text: String, _ condition: StreamError.Condition) throws {
        var machine = Self.machine()
        _ = machine.connected(secure: nil)
        _ = machine.header(try Wire.header(), carriesStanzas: true)
        let action = machine.element(try Wire.element(text))
        #expect(Self.failure(action)?.0.streamError?.condition == condition)
        #expect(Self.failure(action)?.1 == nil)
    }
}
