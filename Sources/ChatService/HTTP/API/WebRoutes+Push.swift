// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ChatAPI

extension WebRoutes {
    static let push: [WebRoute] = [
        WebRoute(.get, "push") { (service, call) throws(ChatAPIError) in
            let key = try service.push.store.key()
            let isSubscribed = service.push.store.targets.contains { $0.session == call.session?.id }
            return .json(200, KeyReply(key: base64url(key.point), subscribed: isSubscribed))
        },
        WebRoute(.put, "push") { (service, call) async throws(ChatAPIError) in
            let body = try call.decode(SubscriptionBody.self)
            let target = try PushTarget(
                session: call.session?.id ?? "", endpoint: body.endpoint, point: body.keys.p256dh,
                secret: body.keys.auth, permitsLocal: service.push.permitsLocal)
            try await service.push.store.apart { (store) throws(ChatAPIError) in try store.set(target) }
            return .done
        },
        WebRoute(.delete, "push") { (service, call) async throws(ChatAPIError) in
            let session = call.session?.id ?? ""
            try await service.push.store.apart { (store) throws(ChatAPIError) in try store.remove(session: session) }
            return .done
        },
        WebRoute(.post, "push/test") { (service, call) throws(ChatAPIError) in
            guard let target = service.push.store.targets.first(where: { $0.session == call.session?.id }) else {
                throw ChatAPIError(.notFound, "this browser has not subscribed", hint: "allow notifications first")
            }
            let note = PushNote(
                type: "test", account: "", conversation: "", name: nil, body: "", message: "", unread: 0)
            switch await service.push.send(note, to: target) {
            case .taken: return .done
            case .gone:
                throw ChatAPIError(
                    .notFound, "the push service does not know this browser any more", hint: "allow notifications again"
                )
            case .failed(let reason):
                throw ChatAPIError(
                    .network, "the push service cannot be reached: \(reason)", hint: "try again later",
                    isRetryable: true)
            }
        },
    ]

    /// What bodies are read as.
    static var pushBodies: [any Decodable.Type] { [SubscriptionBody.self] }
}

private struct KeyReply: Encodable {
    let key: String
    let subscribed: Bool
}

private struct SubscriptionBody: Decodable {
    struct Keys: Decodable {
        let p256dh: String
        let auth: String
    }

    let endpoint: String
    let keys: Keys
}
