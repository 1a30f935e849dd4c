// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation

/// One operation of the interface, as `docs/openapi.yaml` describes it.
struct WebRoute: Sendable {
    /// What a request needs to be let in.
    enum Access: Sendable {
        /// Nothing.
        case open
        /// A custom header, which no foreign page can send without being asked first; that is for pairing.
        case header
        /// A session; and for a write its token and an idempotency key.
        case session
    }

    let method: WebHead.Method
    /// Segments behind `/api/v1`; those in braces stand for any.
    let pattern: [String]
    var access = Access.session
    /// A write whose answer is remembered by its key.
    ///
    /// The others do no harm when they are made again, or keep the key
    /// themselves.
    var isRemembered = false
    /// What a remembered write does when it was begun before a crash: it is made again, for it sets what is rather than
    /// adding something.
    var isRepeatable = false
    /// Its body is a file that is written to disk as it comes.
    var savesBody = false
    /// The types of bodies that it takes.
    var bodies = ["application/json"]
    let run: @Sendable (WebService, WebCall) async throws(ChatAPIError) -> WebReply

    init(
        _ method: WebHead.Method, _ pattern: String, access: Access = .session, isRemembered: Bool = false,
        isRepeatable: Bool = false, bodies: [String] = ["application/json"], savesBody: Bool = false,
        _ run: @escaping @Sendable (WebService, WebCall) async throws(ChatAPIError) -> WebReply
    ) {
        self.method = method
        self.pattern = pattern.split(separator: "/").map(String.init)
        self.access = access
        self.isRemembered = isRemembered
        self.isRepeatable = isRepeatable
        self.bodies = bodies
        self.savesBody = savesBody
        self.run = run
    }

    /// The values of the braces, when the path fits.
    func match(_ path: ArraySlice<String>) -> [String: String]? {
        guard path.count == pattern.count else { return nil }
        var values: [String: String] = [:]
        for (part, given) in zip(pattern, path) {
            if part.hasPrefix("{") {
                values[String(part.dropFirst().dropLast())] = given
            } else if part != given {
                return nil
            }
        }
        return values
    }
}

/// Every operation that is served.
enum WebRoutes {
    static let all: [WebRoute] =
        entrance + sessions + accounts + contacts + conversations + messages + push + people + search + invitations
        + settings + uploads + rooms + pictures + files + scan

    enum Found {
        case route(WebRoute, [String: String])
        /// The path exists; these are its methods.
        case methods([WebHead.Method])
        case nothing
    }

    /// A literal segment wins over braces, since it stands first in the list.
    static func find(_ method: WebHead.Method, _ path: ArraySlice<String>) -> Found {
        let wanted = method == .head ? .get : method
        var methods: [WebHead.Method] = []
        for route in all {
            guard let values = route.match(path) else { continue }
            if route.method == wanted { return .route(route, values) }
            if !methods.contains(route.method) { methods.append(route.method) }
        }
        return methods.isEmpty ? .nothing : .methods(methods)
    }
}

extension WebRoute {
    /// How the description names it.
    var name: String { "\(method.rawValue.lowercased()) /\(pattern.joined(separator: "/"))" }
}

/// The interface as it is served, for the comparison with its description.
package enum WebInterface {
    /// Method and path of every operation, as in `get /status`.
    package static var operations: [String] { WebRoutes.all.map(\.name) }

    /// Reads a body as everything that an operation may take; how many it was.
    package static func readings(of body: [UInt8]) -> Int {
        let types =
            WebRoutes.entranceBodies + WebRoutes.accountBodies + WebRoutes.contactBodies + WebRoutes.messageBodies
            + WebRoutes.pushBodies + WebRoutes.peopleBodies + WebRoutes.invitationBodies + WebRoutes.settingsBodies
            + WebRoutes.roomBodies + WebRoutes.fileBodies
        let data = Data(body)
        return types.count { (try? JSONDecoder().decode($0, from: data)) != nil }
    }
}
