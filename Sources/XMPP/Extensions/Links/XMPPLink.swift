// SPDX-License-Identifier: Apache-2.0

/// An address with something to do there, as it stands on a page or in a code: `xmpp:bo@example.org?message;body=Hi`
/// (RFC 5122, XEP-0147).
///
/// Reading one does nothing. Whoever opens it shows what it would do and asks the person, since anybody can write one and
/// have it clicked (T158); see ``isHarmless``.
public struct XMPPLink: Sendable, Hashable {
    /// The longest link that is read, in bytes.
    public static let maximumBytes = 8192

    /// Which of one's accounts it is meant for; nil leaves that open.
    public var account: JID?
    /// The address; nil for a link that names only the account.
    public var jid: JID?
    /// What to do there, nil to talk.
    public var action: Action?

    /// Makes a link.
    public init(_ jid: JID?, _ action: Action? = nil, account: JID? = nil) {
        self.jid = jid
        self.action = action
        self.account = account
    }

    /// Whether opening it only shows something, so that there is nothing to confirm: an address alone, or a text that the
    /// person has still to send.
    public var isHarmless: Bool {
        switch action {
        case nil, .message: true
        default: false
        }
    }
}

extension XMPPLink {
    /// What a link asks for (XEP-0147 and the registry that it keeps).
    public enum Action: Sendable, Hashable {
        /// To write to the address; the text is a draft, never sent by itself.
        case message(Draft)
        /// To put the address into the contact list (XEP-0147 §3.2), perhaps with an invitation (XEP-0379).
        case addContact(Introduction)
        /// To take the address out of it.
        case removeContact
        /// To ask to see its presence.
        case subscribe
        /// To stop seeing its presence.
        case unsubscribe
        /// To make an account there, perhaps with an invitation (XEP-0445 §2).
        case register(token: String?)
        /// To cancel a registration there.
        case unregister
        /// To enter a room (XEP-0045 §17.2.1).
        case join(password: String?)
        /// To ask what there is (XEP-0030).
        case discover(node: String?)
        /// To run a command (XEP-0050 §9).
        case command(node: String?, action: String?)
        /// To look at the card (XEP-0054 §7.2).
        case card
        /// Something else, by its name.
        case other(name: String, parameters: [Parameter])
    }

    /// A message that the person may send.
    public struct Draft: Sendable, Hashable {
        /// The subject.
        public var subject: String?
        /// The text.
        public var body: String?
        /// The thread.
        public var thread: String?
        /// Further parameters, as they stand there.
        public var parameters: [Parameter]

        /// Makes a draft.
        public init(
            subject: String? = nil, body: String? = nil, thread: String? = nil, parameters: [Parameter] = []
        ) {
            self.subject = subject
            self.body = body
            self.thread = thread
            self.parameters = parameters
        }
    }

    /// Somebody to put into the contact list.
    public struct Introduction: Sendable, Hashable {
        /// What to call them: somebody else's word, so show the address beside it (XEP-0379 §5.4).
        public var name: String?
        /// The groups to put them in.
        public var groups: [String]
        /// The invitation that they gave (XEP-0379 §3.2).
        public var token: String?
        /// Whether the invitation is good for making an account on their server, too (XEP-0401 §5.1).
        public var permitsRegistration: Bool

        /// Makes an introduction.
        public init(
            name: String? = nil, groups: [String] = [], token: String? = nil, permitsRegistration: Bool = false
        ) {
            self.name = name
            self.groups = groups
            self.token = token
            self.permitsRegistration = permitsRegistration
        }
    }

    /// A name with a value.
    public struct Parameter: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value.
        public var value: String

        /// Makes a parameter.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}
