// SPDX-License-Identifier: Apache-2.0
import ApusTransport
package import ChatAPI

/// The interface of `docs/openapi.yaml` over a chat core, and the files of the web app.
///
/// What a request may do is decided here from its head, before a byte of its body is read; the order of the checks is
/// that of `admit`.
package final class WebService: WebHandler {
    /// Finds the QR code of a text; nil where there is none.
    package typealias QRMaker = @Sendable (String) -> WebQR?

    /// Reads the QR code in the photo at a path; nil when there is none.
    package typealias Scanner = @Sendable (String) async throws -> String?

    package let client: any ChatClient
    package let origins: WebOrigins
    package let access: WebAccessFile
    let ledger: WriteLedger
    let files: StaticFiles?
    let version: String
    /// The certificate of the profile's own authority, as PEM, for devices that shall trust it.
    let authority: String?
    let push: PushSender
    let settings: WebSettingsFile
    let uploads: WebUploads
    let makeQR: QRMaker
    let scanner: Scanner?
    let streams = WebStreams()
    let rates = WebRates()
    /// Names of people's pictures by account and address, and until when they are believed.
    let pictureNames = Locked<(until: UInt64, names: [String: String])>((0, [:]))
    private let cookie: String

    package init(
        client: any ChatClient, origins: WebOrigins, access: WebAccessFile, ledger: WriteLedger, files: StaticFiles?,
        port: UInt16, version: String, authority: String? = nil, permitsLocalPush: Bool = false,
        makeQR: @escaping QRMaker = { _ in nil }, scanner: Scanner? = nil
    ) {
        self.client = client
        self.origins = origins
        self.access = access
        self.ledger = ledger
        self.files = files
        self.version = version
        self.authority = authority
        push = PushSender(
            store: PushStore(folder: access.directory),
            contact: origins.preferred.isSecure ? origins.preferred.text : "mailto:apus@localhost",
            permitsLocal: permitsLocalPush)
        settings = WebSettingsFile(folder: access.directory)
        uploads = WebUploads(folder: access.directory + "/uploads")
        self.makeQR = makeQR
        self.scanner = scanner
        // Cookies do not know ports: two services on one machine must not take each other's.
        cookie = "apus-\(port)"
    }

    /// Bytes of a request's body: the longest text with every character escaped.
    package static let bodyLimit = 2 << 20

    package func refused(_ refusal: WebRefusal) -> WebReply {
        let code = ChatAPIError.Code(rawValue: refusal.status == 413 ? "too-large" : "forbidden")
        var reply = WebReply.error(ChatAPIError(code, refusal.text), status: refusal.status)
        reply.addSafeguards(isPage: false)
        return reply
    }

    package func admit(_ head: WebHead) -> WebAdmission {
        guard let origin = origins[head.host] else {
            return .refuse(refused(WebRefusal(403, "this name is not one of the service's; see --origin")))
        }
        guard head.path.first == "api" else { return admitFile(head) }
        guard origins.isOwn(head, at: origin) else {
            return .refuse(refused(WebRefusal(403, "the request comes from another site")))
        }
        guard head.path.count > 2, head.path[1] == "v1" else {
            return .refuse(refused(WebRefusal(404, "there is no such operation")))
        }
        switch WebRoutes.find(head.method, head.path[2...]) {
        case .nothing: return .refuse(refused(WebRefusal(404, "there is no such operation")))
        case .methods(let methods):
            var reply = refused(WebRefusal(405, "this method is not for that path"))
            reply.set("Allow", methods.map(\.rawValue).sorted().joined(separator: ", "))
            return .refuse(reply)
        case .route(let route, let values): return admit(head, origin, route, values)
        }
    }

    func cookieName(_ origin: WebOrigins.Origin) -> String { origin.isSecure ? "__Host-apus" : cookie }

    private func admit(
        _ head: WebHead, _ origin: WebOrigins.Origin, _ route: WebRoute, _ values: [String: String]
    ) -> WebAdmission {
        let secret = head.cookie(cookieName(origin)).flatMap { $0.utf8.count <= 128 ? $0 : nil }
        let session = secret.flatMap { access.session(secret: $0) }
        let key = head.header("idempotency-key")
        do throws(ChatAPIError) {
            if route.access == .session, session == nil { throw .signedOut }
            if !route.method.isSafe { try checkWrite(head, route, secret, key) }
            guard rates.allows(session?.id ?? "", isWrite: !route.method.isSafe) else { throw .tooMany }
        } catch {
            var reply = WebReply.error(error)
            reply.addSafeguards(isPage: false)
            return .refuse(reply)
        }
        if route.savesBody {
            guard let file = uploads.receive() else {
                return .refuse(refused(WebRefusal(507, "a file cannot be written")))
            }
            let call = WebCall(
                head: head, origin: origin, values: values, session: session, secret: secret, key: key, body: [],
                file: file)
            return .save(limit: WebUploads.fileLimit, file: file) {
                var reply = await self.answer(route, call)
                reply.addSafeguards(isPage: false)
                return reply
            }
        }
        return .take(limit: Self.bodyLimit) { body in
            let call = WebCall(
                head: head, origin: origin, values: values, session: session, secret: secret, key: key, body: body)
            var reply = await self.answer(route, call)
            reply.addSafeguards(isPage: false)
            return reply
        }
    }

    /// A form of a foreign page can send none of these headers, nor a body of this type.
    private func checkWrite(
        _ head: WebHead, _ route: WebRoute, _ secret: String?, _ key: String?
    ) throws(ChatAPIError) {
        let token = head.header("x-apus-token") ?? ""
        let wanted = route.access == .session ? WebSecret.writeToken(secret ?? "") : "pair"
        guard WebSecret.equal(token, wanted) else {
            throw ChatAPIError(
                .init(rawValue: "forbidden"), "the request lacks the write token", hint: "GET /api/v1/session has it")
        }
        if head.hasBody {
            let type = (head.header("content-type") ?? "").lowercased().split(separator: ";")
            guard route.bodies.contains(type.first.map { $0.filter { $0 != " " } } ?? ""),
                head.header("content-encoding") == nil
            else {
                throw ChatAPIError(
                    .invalidArgument, "a body is \(route.bodies.joined(separator: " or ")), as it is")
            }
        }
        guard route.access == .session else { return }
        let isName = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-_.~".utf8.contains(byte)
        }
        guard let key, (1...64).contains(key.utf8.count), key.utf8.allSatisfy(isName) else {
            throw ChatAPIError(
                .invalidArgument, "a write needs an Idempotency-Key", hint: "1 to 64 of A-Z a-z 0-9 - _ . ~")
        }
    }

    private func answer(_ route: WebRoute, _ call: WebCall) async -> WebReply {
        do throws(ChatAPIError) {
            return try await route.isRemembered ? remembered(route, call) : route.run(self, call)
        } catch {
            return .error(error)
        }
    }

    private func remembered(_ route: WebRoute, _ call: WebCall) async throws(ChatAPIError) -> WebReply {
        let key = call.key ?? ""
        let request =
            Array((route.name + " " + call.head.path.joined(separator: "/")).utf8)
            + Array(call.head.query.sorted { $0.key < $1.key }.map { "&\($0.key)=\($0.value)" }.joined().utf8)
            + call.body + (call.file?.sum ?? [])
        switch try await ledger.begin(key: key, request: request) {
        case .new: break
        case .interrupted where route.isRepeatable: break
        case .interrupted:
            let lost = ChatAPIError(
                .connectionLost, "the service stopped while it did this; it may or may not be done",
                hint: "look whether it is, and try again if not")
            let reply = WebReply.error(lost, status: 409)
            try await remember(key, reply)
            return reply
        case .mismatch:
            let wrong = ChatAPIError(.invalidArgument, "this Idempotency-Key belongs to another request")
            return .error(wrong, status: 422)
        case .finished(let answer):
            var reply = WebReply(answer.status, body: .bytes(Array(answer.body.utf8)))
            reply.set("Content-Type", "application/json")
            reply.set("Idempotency-Replayed", "true")
            return reply
        }
        do throws(ChatAPIError) {
            let reply = try await route.run(self, call)
            try await remember(key, reply)
            return reply
        } catch {
            // What may succeed later has to be allowed to; the rest failed for good.
            let reply = WebReply.error(error)
            if error.isRetryable || error.code == .cancelled || error.code == .leaving {
                await ledger.forget(key: key)
            } else {
                try await remember(key, reply)
            }
            return reply
        }
    }

    private func remember(_ key: String, _ reply: WebReply) async throws(ChatAPIError) {
        guard case .bytes(let bytes) = reply.body else { return await ledger.forget(key: key) }
        try await ledger.finish(
            key: key, WriteLedger.Answer(status: reply.status, body: String(decoding: bytes, as: UTF8.self)))
    }
}
