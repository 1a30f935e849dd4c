// SPDX-License-Identifier: Apache-2.0
import ChatAPI

/// A QR code as the page draws it.
package struct WebQR: Hashable, Codable, Sendable {
    /// Modules in a row, without the quiet zone.
    package var size: Int
    /// The dark ones as the `d` of one SVG path, one unit a module.
    package var path: String

    package init(size: Int, path: String) {
        self.size = size
        self.path = path
    }
}

extension WebRoutes {
    static let entrance: [WebRoute] = [
        WebRoute(.get, "hello", access: .open) { (service, call) throws(ChatAPIError) in
            let access = try service.access.read()
            return .json(
                200,
                Hello(
                    version: service.version, isSignedIn: call.session != nil, needsPassword: access.password != nil,
                    isSecure: call.origin.isSecure))
        },
        WebRoute(.post, "pair", access: .header) { (service, call) async throws(ChatAPIError) in
            let request = try call.decode(PairRequest.self)
            guard request.code.utf8.count <= 64, (request.password ?? "").utf8.count <= 1024 else {
                throw .wrongCode
            }
            let (session, secret) = try await service.access.apart { (access) throws(ChatAPIError) in
                try access.pair(code: request.code, password: request.password, label: request.label ?? "")
            }
            var reply = WebReply.json(201, SessionReply(session, secret))
            let secure = call.origin.isSecure ? "; Secure" : ""
            reply.set(
                "Set-Cookie",
                "\(service.cookieName(call.origin))=\(secret); Path=/; HttpOnly; SameSite=Strict; Max-Age=15552000\(secure)"
            )
            return reply
        },
    ]

    static let sessions: [WebRoute] = [
        WebRoute(.get, "session") { (_, call) throws(ChatAPIError) in
            guard let session = call.session, let secret = call.secret else { throw .signedOut }
            return .json(200, SessionReply(session, secret))
        },
        WebRoute(.delete, "session") { (service, call) async throws(ChatAPIError) in
            guard let session = call.session else { throw .signedOut }
            _ = try await service.access.apart { (access) throws(ChatAPIError) in try access.revoke(session.id) }
            service.streams.signOut(session.id)
            var reply = WebReply.done
            let secure = call.origin.isSecure ? "; Secure" : ""
            reply.set(
                "Set-Cookie",
                "\(service.cookieName(call.origin))=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0\(secure)")
            reply.set("Clear-Site-Data", "\"cache\", \"cookies\", \"storage\"")
            return reply
        },
        WebRoute(.get, "sessions") { (service, call) throws(ChatAPIError) in
            let sessions = try service.access.read().sessions
            return .list("sessions", sessions.map { SessionItem($0, isCurrent: $0.id == call.session?.id) })
        },
        WebRoute(.delete, "sessions/{session}", isRemembered: true, isRepeatable: true) {
            (service, call) async throws(ChatAPIError) in
            let name = call["session"]
            guard try await service.access.apart({ (access) throws(ChatAPIError) in try access.revoke(name) }) else {
                throw ChatAPIError(.notFound, "there is no such session")
            }
            service.streams.signOut(name)
            return .done
        },
        WebRoute(.post, "pairings") { (service, call) async throws(ChatAPIError) in
            let (code, expires) = try await service.access.apart { (access) throws(ChatAPIError) in
                try access.makeCode()
            }
            let url = WebPairing.url(service.origins.preferred, code)
            return .json(201, PairingReply(url: url, code: code, expires: expires, qr: service.makeQR(url)))
        },
    ]

    /// What bodies are read as.
    static var entranceBodies: [any Decodable.Type] { [PairRequest.self] }
}

/// Links that pair a browser.
package enum WebPairing {
    /// The code is in the fragment, which browsers send to nobody.
    package static func url(_ origin: WebOrigins.Origin, _ code: String) -> String { "\(origin.text)/#pair=\(code)" }
}

private struct Hello: Encodable {
    let product = "apus"
    let version: String
    let isSignedIn: Bool
    let needsPassword: Bool
    let isSecure: Bool

    private enum CodingKeys: String, CodingKey {
        case product, version
        case isSignedIn = "signed_in"
        case needsPassword = "needs_password"
        case isSecure = "secure"
    }
}

private struct PairRequest: Decodable {
    let code: String
    let password: String?
    let label: String?
}

private struct SessionItem: Encodable {
    let id: String
    let label: String
    let created: Timestamp
    let used: Timestamp
    let isCurrent: Bool

    init(_ session: WebAccess.Session, isCurrent: Bool) {
        id = session.id
        label = session.label
        created = session.created
        used = session.used
        self.isCurrent = isCurrent
    }

    private enum CodingKeys: String, CodingKey {
        case id, label
        case created = "created_at"
        case used = "used_at"
        case isCurrent = "current"
    }
}

private struct SessionReply: Encodable {
    let session: SessionItem
    let token: String

    init(_ session: WebAccess.Session, _ secret: String) {
        self.session = SessionItem(session, isCurrent: true)
        token = WebSecret.writeToken(secret)
    }
}

private struct PairingReply: Encodable {
    let url: String
    let code: String
    let expires: Timestamp
    let qr: WebQR?

    private enum CodingKeys: String, CodingKey {
        case url, code, qr
        case expires = "expires_at"
    }
}
