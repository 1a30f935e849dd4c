// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let contacts = [listContacts, addContact, removeContact]
    static let requests = [listRequests, answer("accept", true), answer("decline", false)]

    private static let address = ArgumentSpec(name: "JID", summary: "the other side's address")

    private static let listContacts = CommandSpec(
        path: ["contacts"], summary: "list contacts with their presence",
        options: [CommandSpec.account, .flag("offline", "do not connect; show what is stored")]
    ) { context in
        if !context.line.has("offline") { await Online.tryToConnect(context) }
        let contacts = try await context.client.contacts(account: context.account)
        if context.output.isJSON { return try await context.output.json("contacts", Contacts(contacts: contacts)) }
        let text = StatusText(style: context.output.style)
        for contact in contacts { try await context.output.line(text.line(contact)) }
        if contacts.isEmpty { try await context.output.note("no contact yet; 'apus contacts add JID' asks somebody") }
    }

    private static let addContact = CommandSpec(
        path: ["contacts", "add"], summary: "add a contact and ask to see its presence", arguments: [address],
        options: [
            CommandSpec.account, .value("name", "NAME", "the name to show"),
            OptionSpec(name: "group", value: "GROUP", summary: "put it into this group", repeats: true),
            .flag("silent", "do not ask to see its presence"),
        ]
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let request = ContactRequest(
            account: context.account, address: context.argument(0), name: context.line.options["name"],
            groups: context.line.lists["group"] ?? [], subscribes: !context.line.has("silent"))
        let contact = try await context.client.addContact(request)
        if context.output.isJSON { return try await context.output.json("contact", contact) }
        let verb = request.subscribes && contact.subscription != .both ? "asked" : "added"
        try await context.output.note("\(verb) \(Plain.line(contact.address))")
    }

    private static let removeContact = CommandSpec(
        path: ["contacts", "remove"], summary: "remove a contact and both subscriptions", arguments: [address],
        options: [CommandSpec.account]
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let request = ContactRequest(account: context.account, address: context.argument(0))
        try await context.client.removeContact(request)
        if context.output.isJSON { return try await context.output.json("removed", Named(address: request.address)) }
        try await context.output.note("removed \(Plain.line(request.address))")
    }

    private static let listRequests = CommandSpec(
        path: ["requests"], summary: "list who asks to see your presence, or asks you into a room",
        options: [CommandSpec.account, .flag("offline", "do not connect; show what is stored")]
    ) { context in
        if !context.line.has("offline") { await Online.tryToConnect(context) }
        let requests = try await context.client.requests(account: context.account)
        if context.output.isJSON { return try await context.output.json("requests", Requests(requests: requests)) }
        let text = StatusText(style: context.output.style)
        for request in requests { try await context.output.line(text.line(request)) }
        if requests.isEmpty { try await context.output.note("no requests") }
    }

    private static func answer(_ verb: String, _ accepts: Bool) -> CommandSpec {
        CommandSpec(
            path: ["requests", verb],
            summary: accepts ? "accept a request, and ask in return" : "decline a request", arguments: [address],
            options: [CommandSpec.account]
                + (accepts ? [.flag("one-way", "do not ask to see the other side's presence in return")] : [])
        ) { context in
            _ = try await context.client.connect(ConnectRequest(account: context.account))
            let request = AnswerRequest(
                account: context.account, address: context.argument(0), accepts: accepts,
                addsBack: !context.line.has("one-way"))
            try await context.client.answer(request)
            if context.output.isJSON {
                return try await context.output.json(
                    "answered", Answered(address: request.address, accepted: accepts))
            }
            try await context.output.note(
                "\(verb == "accept" ? "accepted" : "declined") \(Plain.line(request.address))")
        }
    }

    private struct Contacts: Encodable {
        let contacts: [ContactSummary]
    }

    private struct Requests: Encodable {
        let requests: [RequestSummary]
    }

    private struct Answered: Encodable {
        let address: String
        let accepted: Bool
    }
}
