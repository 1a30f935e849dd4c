// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation
import XMPP

extension WebRoutes {
    static let invitations: [WebRoute] = [
        WebRoute(.post, "accounts/{account}/invitations", isRemembered: true) { (service, call) throws(ChatAPIError) in
            let body = try call.decode(InvitationBody.self)
            let request = InvitationRequest(account: call.account, kind: body.kind ?? .contact)
            let invitation = try await service.client.createInvitation(request)
            return .json(201, InvitationReply(invitation, service.makeQR(invitation.link)))
        },
        // A link may hold a token, which belongs into no address.
        WebRoute(.post, "links") { (_, call) throws(ChatAPIError) in
            let body = try call.decode(LinkBody.self)
            guard let link = LinkReply.link(body.link) else {
                throw ChatAPIError(.invalidArgument, "this is no xmpp: link", hint: "it begins with xmpp:")
            }
            return .json(200, LinkReply(link))
        },
    ]

    /// What bodies are read as.
    static var invitationBodies: [any Decodable.Type] { [InvitationBody.self, LinkBody.self] }
}

private struct InvitationBody: Decodable {
    var kind: InvitationRequest.Kind?
}

private struct LinkBody: Decodable {
    var link: String
}

private struct InvitationReply: Encodable {
    let invitation: InvitationItem
    let qr: WebQR?

    init(_ invitation: InvitationItem, _ qr: WebQR?) {
        self.invitation = invitation
        self.qr = qr
    }

    private enum CodingKeys: String, CodingKey { case qr }

    func encode(to encoder: any Encoder) throws {
        try invitation.encode(to: encoder)
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(qr, forKey: .qr)
    }
}

/// What a link wants; nothing is done by reading it (T158).
struct LinkReply: Encodable {
    let action: String
    let address: String?
    let domain: String?
    var name: String?
    var token: String?
    var body: String?
    var password: String?
    var isHarmless: Bool
    var permitsRegistration: Bool?

    init(_ link: XMPPLink) {
        address = link.jid?.bare.description
        domain = link.jid?.domain
        isHarmless = link.isHarmless
        switch link.action {
        case nil: action = "open"
        case .message(let draft):
            action = "message"
            body = draft.body
        case .addContact(let introduction):
            action = "add-contact"
            name = introduction.name
            token = introduction.token
            permitsRegistration = introduction.permitsRegistration
        case .register(let given):
            action = "register"
            token = given
        case .join(let given):
            action = "join"
            password = given
        default:
            // To remove, to unsubscribe, to run something: no link makes this app do that.
            action = "other"
        }
    }

    /// The link itself, or the one that the page of an inviting server has behind its `#`.
    static func link(_ text: String) -> XMPPLink? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count <= XMPPLink.maximumBytes else { return nil }
        if let link = XMPPLink(text) { return link }
        guard text.lowercased().hasPrefix("https://"), let mark = text.firstIndex(of: "#") else { return nil }
        let rest = text[text.index(after: mark)...]
        return XMPPLink(rest.hasPrefix("xmpp:") ? String(rest) : "xmpp:\(rest)")
    }

    private enum CodingKeys: String, CodingKey {
        case action, address, domain, name, token, body, password
        case isHarmless = "harmless"
        case permitsRegistration = "permits_registration"
    }
}
