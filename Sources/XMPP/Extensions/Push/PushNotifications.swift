// SPDX-License-Identifier: Apache-2.0

/// A service that wakes a program which is not connected (XEP-0357 §2).
public struct PushService: Sendable, Hashable {
    /// The address of the service.
    public var jid: JID
    /// Where in the service this program is; nil only to switch all of it off.
    public var node: String?
    /// What the server has to show the service, as a secret that the program and the service share.
    public var options: [String: String]

    /// Makes a description.
    public init(jid: JID, node: String?, options: [String: String] = [:]) {
        self.jid = jid
        self.node = node
        self.options = options
    }
}

/// The elements of XEP-0357.
enum Push {
    static let namespace = "urn:xmpp:push:0"

    static func enable(_ service: PushService) -> Element {
        Element(XMLName("enable", namespace)) { builder in
            builder.attribute("jid", service.jid.description)
            builder.attribute("node", service.node)
            guard !service.options.isEmpty else { return }
            let type = "http://jabber.org/protocol/pubsub#publish-options"
            let fields = service.options.sorted { $0.key < $1.key }.map { DataForm.Field($0.key, values: [$0.value]) }
            let form = DataForm(
                .submit, fields: [DataForm.Field("FORM_TYPE", kind: .hidden, values: [type])] + fields)
            builder.child(form.element)
        }
    }

    static func disable(_ jid: JID, node: String?) -> Element {
        Element(XMLName("disable", namespace), attributes: ["jid": jid.description, "node": node])
    }
}

extension XMPPSession {
    /// Asks whether the account's server can wake programs (XEP-0357 §4.1).
    ///
    /// Throws ``XMPPError``. Cancelling ends the wait.
    public func supportsPush() async throws -> Bool {
        try await discoverInfo(of: account.jid.bare).supports(Push.namespace)
    }

    /// Has the server tell a service when something comes while this program is away (XEP-0357 §5).
    ///
    /// It holds for the account until ``disablePush(_:node:)``, also for later logins. The server may send the service who
    /// wrote, and what: choose one that is to know it. Waits until the server confirms. Throws ``XMPPError``:
    /// `invalidArgument` without a node, else as ``request(_:timeout:)`` does. Cancelling ends the wait, not the change.
    public func enablePush(_ service: PushService) async throws {
        guard service.node?.isEmpty == false else {
            throw XMPPError(.invalidArgument, "the service has to name a place for this program")
        }
        _ = try await set(Push.enable(service))
    }

    /// Has the server tell a service no more (XEP-0357 §6).
    ///
    /// Waits, throws and is cancelled as ``enablePush(_:)``.
    /// - Parameters:
    ///   - jid: The address of the service.
    ///   - node: Where in the service; nil for all that the account has there.
    public func disablePush(_ jid: JID, node: String? = nil) async throws {
        _ = try await set(Push.disable(jid, node: node))
    }
}
