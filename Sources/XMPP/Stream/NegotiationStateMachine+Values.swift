// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

extension NegotiationStateMachine {
    /// What to do after an event.
    package enum Action: Sendable, Hashable {
        /// Wait for more.
        case wait
        /// Forget the parser's state and send this stream header.
        case open(StreamHeader)
        /// The same, with these elements in the same write, ahead of the server's answer.
        case openAhead(StreamHeader, [Element])
        /// Send this element.
        case send(Element)
        /// Send these elements in one write.
        case sendAll([Element])
        /// Give all further bytes to TLS.
        case startTLS
        /// Derive keys away from this thread, then call ``NegotiationStateMachine/keysDerived(_:)``.
        case derive(SCRAMDerivation)
        /// Salt the password away from this thread, then call ``NegotiationStateMachine/passwordSalted(_:)``.
        case salt(SCRAMDerivation)
        /// A stanza that came after the address was bound and before the stream is up: keep it for then.
        case keep(Element)
        /// The stream is up with a fresh session.
        case bound(BoundStream)
        /// The stream of before goes on.
        case resumed(ResumedStream)
        /// The token was given back; nothing else was asked for.
        case invalidated
        /// The stream is ready for registration, not logged in (XEP-0077).
        case unauthenticated(StreamFeatures)
        /// Close the stream, with that stream error if there is one to tell the server.
        case fail(XMPPError, StreamError?)
    }

    package struct BoundStream: Sendable, Hashable {
        package var jid: JID
        package var features: StreamFeatures
        /// Stream management as the server enabled it, nil without.
        package var management: EnabledManagement?
        /// A resumption was tried and refused; the count that the server handled, if it said so.
        package var failedResumption: FailedResumption?
        package var login: LoginSummary
    }

    package struct ResumedStream: Sendable, Hashable {
        /// The number of our stanzas that the server handled.
        package var handled: UInt32
        package var features: StreamFeatures
        package var login: LoginSummary
    }

    package struct EnabledManagement: Sendable, Hashable {
        package var id: String?
        package var canResume: Bool
        package var maximumSeconds: UInt32?
        package var location: String?

        package init(id: String?, canResume: Bool, maximumSeconds: UInt32? = nil, location: String? = nil) {
            self.id = id
            self.canResume = canResume
            self.maximumSeconds = maximumSeconds
            self.location = location
        }

        init(_ enabled: Element) {
            let resume = enabled["resume"]
            self.init(
                id: enabled["id"], canResume: resume == "true" || resume == "1",
                maximumSeconds: enabled["max"].flatMap { UInt32($0) }, location: enabled["location"])
        }
    }

    package struct FailedResumption: Sendable, Hashable {
        package var handled: UInt32?
        package init(handled: UInt32?) { self.handled = handled }
        init(_ failed: Element) { handled = failed["h"].flatMap { UInt32($0) } }
    }

    /// How the login went, for the timeline and for what the account remembers.
    package struct LoginSummary: Sendable, Hashable {
        package var mechanism = ""
        package var isBoundToChannel = false
        package var keys: SCRAMKeys?
        /// The token for the next time (XEP-0484).
        package var token: FASTToken?
        /// The token that was used is worth nothing any more.
        package var lostToken = false
        /// The offer inside TLS, and the one after the login where it was read.
        package var offer: StreamFeatures?
        package var featuresAfterLogin: StreamFeatures?
        /// The features of the new stream come yet: a login of SASL2 does not wait for them.
        package var awaitsFeatures = false
        /// What Bind 2 switched on, by the names of the features.
        package var inlineFeatures: [String] = []
        /// Something of it went out before the server had said what it offers now.
        package var wasSentAhead = false
        /// The server ended the stream because of that, as far as can be told.
        package var choked = false
        /// The server failed in what it wanted done after the login (XEP-0480).
        package var failedUpgrade = false
    }

    /// The stream to resume.
    package struct Resumption: Sendable, Hashable {
        package var previousID: String
        package var received: UInt32
        package init(previousID: String, received: UInt32) {
            self.previousID = previousID
            self.received = received
        }
    }

    package struct Configuration: Sendable {
        package enum Purpose: Sendable {
            case login, registration
            /// A part of the server (XEP-0114); the password is what both know.
            case component
        }
        package var purpose = Purpose.login
        /// The domain of the account as it goes into `to`.
        package var domain: String
        package var local: String
        package var resource: String?
        package var language: String?
        package var password: [UInt8]?
        package var keys: SCRAMKeys?
        package var policy = MechanismChoice.Policy()
        package var requiresTLS = true
        package var enablesManagement = true
        package var resumption: Resumption?
        /// Fresh random text for SCRAM and for ids.
        package var nonce: String
        /// Whether requests go out ahead of the answers before them.
        package var sendsAhead = false
        /// What the server offered inside TLS when this account logged in last; a login is sent ahead only with it.
        package var knownOffer: StreamFeatures?
        /// What it offered after that login.
        package var knownFeatures: StreamFeatures?
        /// Whether the login of XEP-0388 is used where there is one.
        package var usesSASL2 = true
        package var userAgent: UserAgent?
        /// Whether an address may be bound inside the login: the server then leaves what it kept for us to the archive.
        package var bindsInLogin = true
        /// What modules switch on together with the address (XEP-0386).
        package var inline: [InlineBinding] = []
        package var token: FASTToken?
        package var requestsToken = false
        /// The token is given back with this login (XEP-0484 §3.6), and no address is bound.
        package var invalidatesToken = false
        package var permitsUpgrade = true

        package init(domain: String, local: String, nonce: String) {
            self.domain = domain
            self.local = local
            self.nonce = nonce
        }
    }

    /// A request for an address that is on its way.
    struct Binding: Sendable {
        var id: String
        var triedWithoutResource: Bool
        /// `<enable/>` went out behind it.
        var enables = false
        /// So many of them were for nothing, since there was no address: the server refuses those.
        var refusals = 0
    }

    /// What a SASL2 login asked for besides itself.
    struct InlineRequest: Sendable {
        var resumes = false
        var binds = false
        var features: [String] = []
        /// The mechanism that a token in the answer is for.
        var tokenMechanism: String?
        var upgrade: HashAlgorithm?
    }

    /// A better hash of the password on its way (XEP-0480).
    struct Upgrade: Sendable {
        enum Step: Sendable { case salt, derivation, outcome }
        var hash: HashAlgorithm
        var step: Step
    }
}
