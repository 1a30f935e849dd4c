// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension WebRoutes {
    static let contacts: [WebRoute] = [
        WebRoute(.get, "contacts") { (service, call) throws(ChatAPIError) in
            .list("contacts", try await service.client.contacts(account: call.head.query["account"]))
        },
        WebRoute(.post, "contacts", isRemembered: true) { (service, call) throws(ChatAPIError) in
            let body = try call.decode(ContactBody.self)
            let request = ContactRequest(
                account: body.account, address: body.address, name: body.name, groups: body.groups ?? [],
                subscribes: body.subscribe ?? true, token: body.token)
            return .json(201, try await service.client.addContact(request))
        },
        WebRoute(.patch, "contacts/{account}/{address}", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            let body = try call.decode(ContactChangeBody.self)
            let all = try await service.client.contacts(account: call.account)
            guard let known = all.first(where: { $0.address == call["address"] }) else {
                throw ChatAPIError(.notFound, "there is no contact \(call["address"])")
            }
            let name = body.name.map { $0.isEmpty ? nil : $0 } ?? known.name
            let request = ContactRequest(
                account: call.account, address: known.address, name: name, groups: body.groups ?? known.groups)
            return .json(200, try await service.client.changeContact(request))
        },
        WebRoute(.delete, "contacts/{account}/{address}", isRemembered: true) { (service, call) throws(ChatAPIError) in
            try await service.client.removeContact(ContactRequest(account: call.account, address: call["address"]))
            return .done
        },
        WebRoute(.get, "requests") { (service, call) throws(ChatAPIError) in
            .list("requests", try await service.client.requests(account: call.head.query["account"]))
        },
        WebRoute(.post, "requests/{account}/{address}", isRemembered: true) { (service, call) throws(ChatAPIError) in
            let body = try call.decode(AnswerBody.self)
            try await service.client.answer(
                AnswerRequest(
                    account: call.account, address: call["address"], accepts: body.accept,
                    addsBack: body.addBack ?? true))
            return .done
        },
    ]

    /// What bodies are read as.
    static var contactBodies: [any Decodable.Type] { [ContactBody.self, ContactChangeBody.self, AnswerBody.self] }
}

private struct ContactBody: Decodable {
    var account: String?
    var address: String
    var name: String?
    var groups: [String]?
    var subscribe: Bool?
    var token: String?
}

/// An empty name takes it away; what is absent stays.
private struct ContactChangeBody: Decodable {
    var name: String?
    var groups: [String]?
}

private struct AnswerBody: Decodable {
    var accept: Bool
    var addBack: Bool?

    private enum CodingKeys: String, CodingKey {
        case accept
        case addBack = "add_back"
    }
}
