// SPDX-License-Identifier: Apache-2.0
import ChatAPI

/// The body of every error.
struct WebErrorBody: Encodable {
    let error: ChatAPIError
}

/// A list as an object, so that members can be added to it.
struct WebList<Item: Encodable & Sendable>: Encodable, Sendable {
    let name: String
    let items: [Item]

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(items, forKey: Key(stringValue: name))
    }
}

extension WebReply {
    static var done: WebReply { .json(200, Done()) }

    static func list<Item: Encodable & Sendable>(_ name: String, _ items: [Item]) -> WebReply {
        .json(200, WebList(name: name, items: items))
    }

    static func error(_ error: ChatAPIError, status: Int? = nil) -> WebReply {
        var reply = WebReply.json(status ?? Self.status(error.code), WebErrorBody(error: error))
        if error.code.rawValue == "too-many" { reply.set("Retry-After", "60") }
        if reply.status == 503 { reply.set("Retry-After", "1") }
        return reply
    }

    /// 401 is kept for the session of the browser: what a chat server refuses is 422.
    private static func status(_ code: ChatAPIError.Code) -> Int {
        switch code {
        case .invalidArgument: 400
        case .notFound, .unknownAccount: 404
        case .conflict: 409
        case .authentication, .certificate, .refused, .registrationFields: 422
        case .network, .protocolMismatch: 502
        case .timeout: 504
        case .storage: 507
        case .busy, .leaving, .connectionLost, .cancelled: 503
        case .tooLarge: 413
        case .unsupported: 501
        default:
            switch code.rawValue {
            case "signed-out": 401
            case "forbidden": 403
            case "too-many": 429
            default: 500
            }
        }
    }

    /// The headers of every reply: nothing is sniffed, framed, referred to or cached, and no script but ours runs.
    mutating func addSafeguards(isPage: Bool) {
        set("X-Content-Type-Options", "nosniff")
        set("Referrer-Policy", "no-referrer")
        set("X-Frame-Options", "DENY")
        set("Cross-Origin-Opener-Policy", "same-origin")
        set("Cross-Origin-Resource-Policy", "same-origin")
        // Only names that browsers know: for each other one they write a warning.
        set(
            "Permissions-Policy", "camera=(self), microphone=(self), geolocation=(), payment=(), usb=(), serial=()")
        if header("Content-Security-Policy") == nil {
            set("Content-Security-Policy", isPage ? Self.pagePolicy : Self.dataPolicy)
        }
        if header("Cache-Control") == nil { set("Cache-Control", "no-store") }
    }

    /// No inline script or style, no eval, nothing remote; pictures and sounds also from memory.
    ///
    /// Text does not become markup or the address of a script, but for the service worker's by the one policy.
    static let pagePolicy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; \
        font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; \
        form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types apus
        """

    /// For what is no page: should a browser show it as one, it can do nothing.
    static let dataPolicy = "default-src 'none'; sandbox; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}
