// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let accounts = [
        addAccount, registerAccount, listAccounts, trustAccount, mediaAccount, removeAccount, changePassword,
    ]

    private static let address = ArgumentSpec(name: "JID", summary: "the account's address, such as ana@example.org")

    private static let addAccount = CommandSpec(
        path: ["account", "add"], summary: "add an account that exists already", arguments: [address],
        options: [CommandSpec.password, CommandSpec.keepPassword] + CommandSpec.server
            + [CommandSpec.pin, CommandSpec.timeout],
        discussion: """
            The account is kept when the login succeeds. The password comes from --password-file, from APUS_PASSWORD, or
            from a question on the terminal. When the server's certificate is refused for its name, its dates or its
            issuer, the terminal shows it and asks whether to accept exactly this one; without a terminal,
            --trust-certificate says so.
            """
    ) { context in
        let request = try await request(context, confirms: false)
        let account = try await CertificateQuestion.retrying(context, request) { (request) async throws(ChatAPIError) in
            try await context.client.addAccount(request)
        }
        try await show(account, "added", context)
    }

    private static let registerAccount = CommandSpec(
        path: ["account", "register"], summary: "create an account on its server and add it", arguments: [address],
        options: [
            CommandSpec.password, CommandSpec.keepPassword,
            OptionSpec(
                name: "field", value: "NAME=VALUE", summary: "answer a field that the server asks for", repeats: true),
        ] + CommandSpec.server + [CommandSpec.pin, CommandSpec.timeout]
    ) { context in
        var request = RegisterAccountRequest(account: try await request(context, confirms: true))
        for field in context.line.lists["field"] ?? [] {
            guard let equals = field.firstIndex(of: "="), equals > field.startIndex else {
                throw CommandError.usage(
                    "--field takes NAME=VALUE, not \"\(field)\"", help: "apus account register --help")
            }
            request.fields[String(field[..<equals])] = String(field[field.index(after: equals)...])
        }
        let account: AccountSummary
        do {
            account = try await CertificateQuestion.retrying(context, request.account) {
                (login) async throws(ChatAPIError) in
                request.account = login
                return try await context.client.registerAccount(request)
            }
        } catch let error as ChatAPIError where error.code == .registrationFields {
            try await ask(&request, error, context)
            account = try await context.client.registerAccount(request)
        }
        try await show(account, "registered", context)
    }

    private static let listAccounts = CommandSpec(
        path: ["account", "list"], summary: "list the profile's accounts"
    ) { context in
        let accounts = try await context.client.status().accounts
        if context.output.isJSON { return try await context.output.json("accounts", Accounts(accounts: accounts)) }
        let text = StatusText(style: context.output.style)
        for account in accounts { try await context.output.line(text.line(account)) }
        if accounts.isEmpty { try await context.output.note("no account yet; 'apus account add JID' adds one") }
    }

    private static let removeAccount = CommandSpec(
        path: ["account", "remove"], summary: "forget an account and its history", arguments: [address],
        options: [.flag("on-server", "also cancel the account on its server, with all that is kept there")]
    ) { context in
        let request = RemoveAccountRequest(
            address: context.argument(0), deletesOnServer: context.line.has("on-server"))
        if request.deletesOnServer { _ = try await context.client.connect(ConnectRequest(account: request.address)) }
        try await context.client.removeAccount(request)
        if context.output.isJSON { return try await context.output.json("removed", Named(address: request.address)) }
        try await context.output.note("removed \(Plain.line(request.address))")
    }

    private static let changePassword = CommandSpec(
        path: ["account", "password"], summary: "change an account's password", arguments: [address],
        options: [
            CommandSpec.password, .flag("local", "only tell this profile what the password is now"),
            CommandSpec.keepPassword, .flag("keys-only", "from now on keep only keys that are derived from it"),
        ]
    ) { context in
        let (keeps, keysOnly) = (context.line.has("keep-password"), context.line.has("keys-only"))
        guard !keeps || !keysOnly else {
            throw CommandError.usage("--keys-only goes without --keep-password", help: "apus account password --help")
        }
        let password = try await Secrets.password(
            context, prompt: "New password for \(Plain.line(context.argument(0)))", confirms: !context.line.has("local")
        )
        let request = ChangePasswordRequest(
            address: context.argument(0), password: password, changesOnServer: !context.line.has("local"),
            keepsPassword: keeps ? true : keysOnly ? false : nil)
        if request.changesOnServer { _ = try await context.client.connect(ConnectRequest(account: request.address)) }
        try await context.client.changePassword(request)
        if context.output.isJSON { return try await context.output.json("changed", Named(address: request.address)) }
        try await context.output.note("changed the password of \(Plain.line(request.address))")
    }

    private static func request(_ context: Context, confirms: Bool) async throws -> AddAccountRequest {
        let address = context.argument(0)
        var server = try context.line.server()
        if let (user, password) = try await Secrets.proxyLogin(context) {
            server.proxyUser = user
            server.proxyPassword = password
        }
        let timeout = try context.line.duration("timeout", default: .seconds(30))
        let password = try await Secrets.password(
            context, prompt: "Password for \(Plain.line(address))", confirms: confirms)
        return AddAccountRequest(
            address: address, password: password, server: server, timeout: timeout,
            keepsPassword: context.line.has("keep-password") ? true : nil)
    }

    /// Asks on the terminal for the fields that the server wants; without a terminal, says how to give them.
    private static func ask(
        _ request: inout RegisterAccountRequest, _ error: ChatAPIError, _ context: Context
    ) async throws {
        let form = try await context.client.registrationForm(request.account)
        let missing = form.fields.filter { $0.isRequired && request.fields[$0.name] == nil }
        guard context.input.isTerminal, !missing.isEmpty else {
            guard !missing.isEmpty else { throw error }
            let names = missing.map { Plain.line($0.name) }.joined(separator: ", ")
            throw ChatAPIError(
                .registrationFields, "the server also asks for: \(names)",
                hint: "give each with --field NAME=VALUE" + (form.webAddress.map { ", or register at \($0)" } ?? ""))
        }
        if let text = form.instructions { try await context.output.note(Plain.block(text, indent: 0)) }
        for field in missing {
            let options = field.options.isEmpty ? "" : " (" + field.options.joined(separator: ", ") + ")"
            let prompt = Plain.line((field.label ?? field.name) + options) + ": "
            let answer =
                field.isSecret
                ? try await context.input.secret(prompt: prompt) : try await context.input.answer(prompt: prompt)
            guard let answer else { throw error }
            request.fields[field.name] = answer.isEmpty ? field.value ?? "" : answer
        }
    }

    private static func show(_ account: AccountSummary, _ verb: String, _ context: Context) async throws {
        if context.output.isJSON { return try await context.output.json("account", account) }
        try await context.output.note("\(verb) \(Plain.line(account.address))")
        guard account.logsInByItself == false else { return }
        await context.output.warn(
            "its server salts the password anew for each login, so keys alone do not log in again and the password will be"
                + " asked for; 'apus account password \(Plain.line(account.address)) --local --keep-password' keeps it here"
        )
    }

    private struct Accounts: Encodable {
        let accounts: [AccountSummary]
    }

    struct Named: Encodable {
        let address: String
    }
}
