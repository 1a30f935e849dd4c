// SPDX-License-Identifier: Apache-2.0

/// An invitation to pass on: whoever opens it becomes a contact, or gets an account (XEP-0401, XEP-0379).
public struct Invitation: Sendable, Hashable {
    /// The link for people who have a program for it.
    public let link: XMPPLink
    /// A page for everybody else, where there is one.
    public let page: String?
    /// Until when it is good; nil for no end.
    public let expires: DateTime?

    /// Makes an invitation.
    public init(link: XMPPLink, page: String? = nil, expires: DateTime? = nil) {
        self.link = link
        self.page = page
        self.expires = expires
    }

    /// Reads what a server made (XEP-0401 §5.1); nil when there is no link that can be read.
    package init?(_ form: DataForm) {
        guard let link = form["uri"]?.values.first.flatMap({ XMPPLink($0.trimmingXMLSpace) }) else { return nil }
        let page = form["landing-url"]?.values.first?.trimmingXMLSpace
        // Both names stand in the specification.
        let expires = (form["expire"] ?? form["expiry"])?.values.first.flatMap { DateTime($0.trimmingXMLSpace) }
        self.init(link: link, page: page.flatMap { $0.isEmpty ? nil : $0 }, expires: expires)
    }
}

/// The token of an invitation, with a request or before a registration (XEP-0379 §3.4, XEP-0445 §4).
package struct InvitationToken: StanzaPayload {
    package static let name = XMLName("preauth", "urn:xmpp:pars:0")
    package var token: String

    package init(_ token: String) { self.token = token }

    package init?(_ element: Element) {
        guard element.matches(Self.name), let token = element.filled("token") else { return nil }
        self.token = token
    }

    package var element: Element { Element(Self.name, attributes: ["token": token]) }
}

extension Presence {
    /// The token of the invitation that a request answers (XEP-0379 §3.4); nil for another presence.
    ///
    /// Only whoever gave it knows whether it is good: ``InvitationBook/redeem(_:now:)``.
    public var invitationToken: String? {
        get { kind == .subscribe ? payload(InvitationToken.name).flatMap { InvitationToken($0) }?.token : nil }
        set { setPayload(InvitationToken.name, newValue.map { InvitationToken($0).element }) }
    }
}
