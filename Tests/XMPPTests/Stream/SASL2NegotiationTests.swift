// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Testing
import XMPP

@Suite("The login of XEP-0388 as decisions")
struct SASL2NegotiationTests {
    typealias Machine = NegotiationStateMachine

    static let offer =
        "<authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism><inline><sm xmlns='urn:xmpp:sm:3'/>"
        + "<bind xmlns='urn:xmpp:bind:0'><inline><feature var='urn:xmpp:sm:3'/></inline></bind>"
        + "<fast xmlns='urn:xmpp:fast:0'><mechanism>HT-SHA-256-EXPR</mechanism></fast></inline></authentication>"
        + "<sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'/>"
    static let success =
        "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>juliet@example.org/Apus~1</authorization-identifier>"
        + "<bound xmlns='urn:xmpp:bind:0'><enabled xmlns='urn:xmpp:sm:3' id='new' resume='1' max='600'/></bound></success>"

    /// A machine that sent `<authenticate/>` with PLAIN, which proves nothing and so needs no script.
    static func authenticating(_ change: (inout Machine.Configuration) -> Void = { _ in }) throws -> (Machine, Element)
    {
        var machine = NegotiationStateMachineTests.machine { configuration in
            configuration.userAgent = UserAgent(id: "agent")
            change(&configuration)
        }
        _ = machine.connected(secure: NegotiationStateMachineTests.tls)
        _ = machine.header(try Wire.header(), carriesStanzas: true)
        let action = machine.element(try Wire.element("<stream:features>\(offer)</stream:features>"))
        guard case .send(let request) = action else { throw XMPPError(.invalidReply, "no login: \(action)") }
        return (machine, request)
    }

    static func code(_ action: Machine.Action) -> XMPPError.Code? {
        if case .fail(let error, _) = action { error.code } else { nil }
    }

    @Test("T028 before TLS is up no login is sent, whatever is known of the server")
    func nothingEarly() throws {
        for sendsAhead in [false, true] {
            var machine = NegotiationStateMachineTests.machine { configuration in
                configuration.sendsAhead = sendsAhead
                configuration.knownOffer = StreamFeatures(
                    Wire.elements("<stream:features>\(Self.offer)</stream:features>")[0])
                configuration.token = FASTToken(mechanism: "HT-SHA-256-EXPR", secret: "s")
                configuration.userAgent = UserAgent(id: "agent")
            }
            let header = StreamHeader(to: "example.org")
            #expect(
                machine.connected(secure: nil)
                    == (sendsAhead ? .openAhead(header, [Element(.startTLS)]) : .open(header)))
            _ = machine.header(try Wire.header(), carriesStanzas: true)
            _ = machine.element(
                try Wire.element(
                    "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>\(Self.offer)</stream:features>"
                ))
            #expect(
                machine.element(try Wire.element("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")) == .startTLS)
            // Only the finished handshake lets anything out.
            guard case .openAhead(_, let elements) = machine.secured(NegotiationStateMachineTests.tls) else {
                #expect(!sendsAhead)
                continue
            }
            #expect(elements.map(\.localName) == ["authenticate"])
            #expect(elements.first?["mechanism"] == "HT-SHA-256-EXPR")
        }
    }

    @Test("T096 a stream to resume is asked for before an address, in one request")
    func resumesFirst() throws {
        let (machine, request) = try Self.authenticating { $0.resumption = .init(previousID: "old", received: 7) }
        let names = request.children.map(\.localName)
        let (resume, bind) = (names.firstIndex(of: "resume"), names.firstIndex(of: "bind"))
        #expect(resume != nil && bind != nil && (resume ?? 0) < (bind ?? 0))
        #expect(request.child(.managementResume)?["h"] == "7")
        var resumed = machine
        guard
            case .resumed(let stream) = resumed.element(
                try Wire.element(
                    "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>juliet@example.org</authorization-identifier>"
                        + "<resumed xmlns='urn:xmpp:sm:3' previd='old' h='12'/></success>"))
        else {
            Issue.record("not resumed")
            return
        }
        #expect(stream.handled == 12)
        var refused = machine
        guard
            case .bound(let fresh) = refused.element(
                try Wire.element(
                    Self.success.replacing(
                        "<bound", with: "<failed xmlns='urn:xmpp:sm:3' h='5'><item-not-found/></failed><bound")))
        else {
            Issue.record("not bound")
            return
        }
        #expect(fresh.failedResumption == .init(handled: 5))
        #expect(fresh.management == .init(id: "new", canResume: true, maximumSeconds: 600))
        #expect(fresh.jid.resource == "Apus~1")
    }

    @Test(
        "T093 a success that resumes another stream than ours ends it",
        arguments: [
            "previd='other' h='0'", "h='0'", "previd='old'", "previd='old' h='-1'", "previd='old' h='4294967296'",
        ])
    func wrongResumption(_ attributes: String) throws {
        var (machine, _) = try Self.authenticating { $0.resumption = .init(previousID: "old", received: 7) }
        let action = machine.element(
            try Wire.element(
                "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>juliet@example.org</authorization-identifier>"
                    + "<resumed xmlns='urn:xmpp:sm:3' \(attributes)/></success>"))
        #expect(Self.code(action) == .protocolViolation)
    }

    @Test("a server that binds without stream management is taken as it is")
    func withoutManagement() throws {
        var (machine, _) = try Self.authenticating()
        guard
            case .bound(let stream) = machine.element(
                try Wire.element(
                    "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>juliet@example.org/r</authorization-identifier>"
                        + "<bound xmlns='urn:xmpp:bind:0'><failed xmlns='urn:xmpp:sm:3'/></bound></success>"))
        else {
            Issue.record("not bound")
            return
        }
        #expect(stream.management == nil)
    }

    @Test("a success in which nothing was bound is followed by the features, and by the steps of RFC 6120")
    func nothingBound() throws {
        var (machine, _) = try Self.authenticating { $0.sendsAhead = true }
        let action = machine.element(
            try Wire.element(
                "<success xmlns='urn:xmpp:sasl:2'><authorization-identifier>juliet@example.org</authorization-identifier></success>"
            ))
        #expect(action == .wait)
        guard case .sendAll(let elements) = machine.element(try Wire.element(NegotiationStateMachineTests.afterLogin))
        else {
            Issue.record("no request for an address")
            return
        }
        #expect(elements.map(\.localName) == ["iq", "enable"])
    }

    @Test(
        "T019 T093 during the login only what belongs to it may come",
        arguments: [
            "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", "<message><body>hi</body></message>",
            "<stream:features/>", "<enabled xmlns='urn:xmpp:sm:3' id='x'/>", "<bound xmlns='urn:xmpp:bind:0'/>",
            "<resumed xmlns='urn:xmpp:sm:3' previd='x' h='0'/>", "<response xmlns='urn:xmpp:sasl:2'/>",
            "<task-data xmlns='urn:xmpp:sasl:2'/>", "<iq type='result' id='1'/>",
        ])
    func allowList(_ text: String) throws {
        var (machine, _) = try Self.authenticating()
        #expect(Self.code(machine.element(try Wire.element(text))) == .protocolViolation)
    }

    @Test("a token is asked for with the best mechanism that both sides have, and never where nobody could use it")
    func tokenMechanisms() {
        let tls = ChannelBindings(isTLS13: true, data: [.exporter: [1], .serverEndPoint: [2]])
        let noExporter = ChannelBindings(isTLS13: false, data: [.serverEndPoint: [2]])
        func best(_ offered: [String], _ available: ChannelBindings, _ bound: Bool = false) -> String? {
            HTMechanism.best(offered: offered, available: available, requiresBinding: bound)?.name
        }
        #expect(
            best(["HT-SHA-256-NONE", "HT-SHA-256-UNIQ", "HT-SHA-256-ENDP", "HT-SHA-256-EXPR"], tls) == "HT-SHA-256-EXPR"
        )
        #expect(best(["HT-SHA-256-NONE", "HT-SHA-256-ENDP", "HT-SHA-256-EXPR"], noExporter) == "HT-SHA-256-ENDP")
        #expect(best(["HT-SHA-256-NONE"], tls) == "HT-SHA-256-NONE")
        // With a type on offer that ties to the channel, none that does not.
        #expect(best(["HT-SHA-256-NONE", "HT-SHA-256-EXPR"], noExporter) == nil)
        #expect(best(["HT-SHA-256-NONE", "HT-SHA-256-UNIQ"], tls) == nil)
        #expect(best(["HT-SHA-256-NONE"], tls, true) == nil)
        #expect(best(["HT-SHA-1-EXPR", "X"], tls) == nil)
    }

    @Test("T034 T033 with SASL2 an offer that contradicts itself is refused")
    func contradictions() {
        let tls = NegotiationStateMachineTests.tls
        func choose(_ offered: [String], _ types: [String]?) -> String {
            do {
                let choice = try MechanismChoice.choose(
                    .init(mechanisms: offered, channelBindings: types, isSASL2: true), available: tls,
                    policy: MechanismChoice.Policy())
                return "\(choice.mechanism.name) \(choice.binding.header)\(choice.requiresProtection ? " h" : "")"
            } catch { return error.code.rawValue }
        }
        let both = ["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"]
        #expect(choose(both, ["tls-exporter"]) == "SCRAM-SHA-256-PLUS p=tls-exporter,,")
        #expect(choose(both, nil) == "downgraded")
        #expect(choose(both, []) == "downgraded")
        #expect(choose(["SCRAM-SHA-256"], ["tls-exporter"]) == "downgraded")
        #expect(choose(["SCRAM-SHA-256"], nil) == "SCRAM-SHA-256 y,,")
        // Types that we lack: the server has to vouch for them, unless the one that everybody has is there.
        #expect(choose(both, ["x-other"]) == "SCRAM-SHA-256 n,, h")
        #expect(choose(both, ["x-other", "tls-server-end-point"]) == "SCRAM-SHA-256 n,,")
    }

    @Test("T032 below what the account used before, the server has to vouch for its offer")
    func remembersTheStrongest() {
        func choose(
            _ offered: [String], _ strongest: String, _ change: (inout MechanismChoice.Policy) -> Void = { _ in }
        )
            -> String
        {
            var policy = MechanismChoice.Policy()
            policy.strongest = SASLMechanism(name: strongest)
            change(&policy)
            do {
                let choice = try MechanismChoice.choose(
                    offered: offered, channelBindings: nil, available: NegotiationStateMachineTests.tls, policy: policy)
                return "\(choice.mechanism.name)\(choice.requiresProtection ? " h" : "")"
            } catch { return error.code.rawValue }
        }
        #expect(choose(["SCRAM-SHA-1"], "SCRAM-SHA-256-PLUS") == "SCRAM-SHA-1 h")
        #expect(choose(["SCRAM-SHA-256"], "SCRAM-SHA-256") == "SCRAM-SHA-256")
        #expect(choose(["SCRAM-SHA-512"], "SCRAM-SHA-256") == "SCRAM-SHA-512")
        #expect(choose(["PLAIN"], "SCRAM-SHA-1") { $0.permitsPlain = true } == "downgraded")
        // An account that only ever used PLAIN raises no alarm.
        #expect(choose(["PLAIN"], "PLAIN") { $0.permitsPlain = true } == "PLAIN")
        // The user took the certificate away, which is no attack; with it, another login has to be vouched for.
        #expect(choose(["SCRAM-SHA-256"], "EXTERNAL") == "SCRAM-SHA-256")
        #expect(choose(["SCRAM-SHA-256"], "EXTERNAL") { $0.hasCertificate = true } == "SCRAM-SHA-256 h")
        #expect(choose(["SCRAM-SHA-256", "EXTERNAL"], "EXTERNAL") { $0.hasCertificate = true } == "EXTERNAL")
    }

    @Test("T032 without the server's word for it, a weaker login gets no proof")
    func unprotected() {
        let offer = SASLOffer(mechanisms: ["SCRAM-SHA-1"], channelBindings: nil)
        for (suffix, isRefused) in [
            ("", true), (",h=\(base64(offer.protectionHash(.sha1)))", false), (",h=AAAA", true), (",h=", true),
            (",h=!", true),
        ] {
            var scram = SCRAMStateMachine(
                hash: .sha1, binding: .none, user: "u", nonce: "N", stored: nil, offer: offer, requiresProtection: true)
            _ = scram.start()
            let action = scram.challenge(Array("r=Nx,s=c2FsdA==,i=4096\(suffix)".utf8))
            if case .fail(let error) = action {
                #expect(isRefused)
                #expect(suffix == ",h=" || error.code == .downgraded)
            } else {
                #expect(!isRefused)
            }
        }
    }

    @Test("reproduces the hash of XEP-0474, whatever the order of the lists")
    func protectionHash() {
        let offer = SASLOffer(
            mechanisms: ["SCRAM-SHA-1-PLUS", "SCRAM-SHA-1"], channelBindings: ["tls-server-end-point", "tls-exporter"])
        let text = "SCRAM-SHA-1\u{1E}SCRAM-SHA-1-PLUS\u{1F}tls-exporter\u{1E}tls-server-end-point"
        #expect(offer.protectionHash(.sha1) == digest(.sha1, Array(text.utf8)))
        #expect(base64(offer.protectionHash(.sha1)) == "G6k/rBLDqgOhRRaCuuatSDFkJ08=")
        #expect(
            SASLOffer(mechanisms: ["A"], channelBindings: nil).protectionHash(.sha256)
                == digest(.sha256, Array("A".utf8)))
    }

    @Test("without an account only ANONYMOUS logs in, and the address is the server's; with one it never does")
    func anonymous() throws {
        func machine(isAnonymous: Bool) -> Machine {
            NegotiationStateMachineTests.machine { configuration in
                configuration.policy.isAnonymous = isAnonymous
                if isAnonymous { (configuration.local, configuration.resource) = ("", nil) }
            }
        }
        let features = "<stream:features>" + mechanisms("ANONYMOUS", "SCRAM-SHA-1") + "</stream:features>"
        var guest = machine(isAnonymous: true)
        #expect(
            guest.connected(secure: NegotiationStateMachineTests.tls) == .open(StreamHeader(to: "example.org")))
        _ = guest.header(try Wire.header(), carriesStanzas: true)
        guard case .send(let auth) = guest.element(try Wire.element(features)) else {
            Issue.record("no login")
            return
        }
        #expect(auth["mechanism"] == "ANONYMOUS")
        _ = guest.element(try Wire.element("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>"))
        _ = guest.header(try Wire.header(), carriesStanzas: true)
        guard case .send(let bind) = guest.element(try Wire.element(NegotiationStateMachineTests.afterLogin)) else {
            Issue.record("no bind")
            return
        }
        var foreign = guest
        let id = bind["id"] ?? ""
        #expect(
            guest.element(try NegotiationStateMachineTests.result(id, "x7@example.org/y"))
                == .send(StreamManagement.enable))
        #expect(
            Self.code(foreign.element(try NegotiationStateMachineTests.result(id, "x7@example.net/y")))
                == .protocolViolation)

        var member = machine(isAnonymous: false)
        _ = member.connected(secure: NegotiationStateMachineTests.tls)
        _ = member.header(try Wire.header(), carriesStanzas: true)
        let only = "<stream:features>" + mechanisms("ANONYMOUS") + "</stream:features>"
        #expect(Self.code(member.element(try Wire.element(only))) == .noUsableMechanism)
    }

    private func mechanisms(_ names: String...) -> String {
        "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
            + names.map { "<mechanism>\($0)</mechanism>" }.joined() + "</mechanisms>"
    }

    @Test("B39 EXTERNAL comes first with a client certificate, names the account, and is never tried without one")
    func external() throws {
        for hasCertificate in [true, false] {
            var machine = NegotiationStateMachineTests.machine { $0.policy.hasCertificate = hasCertificate }
            _ = machine.connected(secure: NegotiationStateMachineTests.tls)
            _ = machine.header(try Wire.header(), carriesStanzas: true)
            let action = machine.element(
                try Wire.element(
                    "<stream:features>" + mechanisms("EXTERNAL", "SCRAM-SHA-1") + "</stream:features>"))
            guard case .send(let auth) = action else {
                Issue.record("no login")
                return
            }
            #expect(auth["mechanism"] == (hasCertificate ? "EXTERNAL" : "SCRAM-SHA-1"))
            if hasCertificate { #expect(auth.text == base64(Array("juliet@example.org".utf8))) }
        }
    }

    @Test("a token of the wire is bounded, and one without an end is none")
    func tokens() throws {
        func token(_ attributes: String) throws -> FASTToken? {
            FASTToken(
                try Wire.element("<token xmlns='urn:xmpp:fast:0' \(attributes)/>"), mechanism: "HT-SHA-256-EXPR")
        }
        #expect(try token("token='t' expiry='2031-03-04T05:06:07Z'")?.secret == "t")
        #expect(try token("token='t' expiry='tomorrow'") == nil)
        #expect(try token("token='t'") == nil)
        #expect(try token("token='' expiry='2031-03-04T05:06:07Z'") == nil)
        #expect(try token("expiry='2031-03-04T05:06:07Z'") == nil)
        let longest = String(repeating: "x", count: 4096)
        #expect(try token("token='\(longest)' expiry='2031-03-04T05:06:07Z'") != nil)
        #expect(try token("token='\(longest)x' expiry='2031-03-04T05:06:07Z'") == nil)
    }
}
