// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let data = [export, importConversation, backup]

    /// `account export` and `account import`.
    static let portableAccounts = [exportAccount, importAccount]

    private static let exportAccount = CommandSpec(
        path: ["account", "export"], summary: "write an account to a file that other programs and servers read",
        options: [
            CommandSpec.account, .value("output", "FILE", short: "o", "the file; it is needed"),
            .flag("no-messages", "without messages"),
        ],
        discussion: """
            The file (XEP-0227) has contacts, requests, messages of conversations of two and, while the account is online, \
            its profile and whom it keeps away. Nothing in it logs in.
            """
    ) { context in
        guard let path = context.line.options["output"] else {
            throw CommandError.usage("--output is needed", help: "apus account export --help")
        }
        let format: ExportRequest.Format = context.line.has("no-messages") ? .accountWithoutMessages : .account
        let result = try await context.client.export(
            ExportRequest(account: context.account, format: format, path: FilePlace.absolute(path)))
        if context.output.isJSON { return try await context.output.json("exported", result) }
        try await context.output.note("wrote \(Plain.line(result.files.first ?? path))")
    }

    private static let importAccount = CommandSpec(
        path: ["account", "import"], summary: "give an account what another one had",
        arguments: [ArgumentSpec(name: "FILE", summary: "what 'apus account export' or a server wrote")],
        options: [CommandSpec.account],
        discussion: """
            Contacts that are new are added and, where they showed their presence, asked to show it. The profile is taken \
            only by an account that has none. Messages come into this profile alone.
            """
    ) { context in
        _ = try await context.client.connect(ConnectRequest(account: context.account))
        let result = try await context.client.importConversation(
            ImportRequest(account: context.account, path: FilePlace.absolute(context.argument(0)), isAccount: true))
        if context.output.isJSON { return try await context.output.json("imported", result) }
        let card = result.card == true ? ", the profile" : ""
        try await context.output.note(
            "\(result.contacts ?? 0) new contacts, \(result.blocked ?? 0) blocked\(card), \(result.messages) new messages"
        )
    }

    private static let export = CommandSpec(
        path: ["export"], summary: "write a conversation, or all, to files",
        arguments: [
            ArgumentSpec(name: "JID", isRequired: false, summary: "the other side; without it, all conversations")
        ],
        options: [
            CommandSpec.account, .value("format", "FORMAT", "json (the default), html or text"),
            .value("output", "PATH", short: "o", "the file, or the directory for all; it is needed"),
        ]
    ) { context in
        let format = context.line.options["format"] ?? "json"
        guard let format = ExportRequest.Format(rawValue: format), [.json, .html, .text].contains(format) else {
            throw CommandError.usage("--format takes json, html or text, not \"\(format)\"", help: "apus export --help")
        }
        guard let path = context.line.options["output"] else {
            throw CommandError.usage("--output is needed", help: "apus export --help")
        }
        let result = try await context.client.export(
            ExportRequest(
                account: context.account, conversation: context.line.arguments.first, format: format,
                path: FilePlace.absolute(path)))
        if context.output.isJSON { return try await context.output.json("exported", result) }
        try await context.output.note(
            result.files.count == 1 ? "wrote \(result.files[0])" : "wrote \(result.files.count) files")
    }

    private static let importConversation = CommandSpec(
        path: ["import"], summary: "take over an exported conversation",
        arguments: [ArgumentSpec(name: "FILE", summary: "what 'apus export --format json' wrote")],
        options: [CommandSpec.account]
    ) { context in
        let result = try await context.client.importConversation(
            ImportRequest(account: context.account, path: FilePlace.absolute(context.argument(0))))
        if context.output.isJSON { return try await context.output.json("imported", result) }
        try await context.output.note("\(result.messages) new messages")
    }

    private static let backup = CommandSpec(
        path: ["backup"], summary: "copy the profile's database, also while it is in use",
        arguments: [ArgumentSpec(name: "FILE", summary: "where to; a file of that name is replaced")],
        discussion: "What logs the accounts in is not part of the copy."
    ) { context in
        let path = FilePlace.absolute(context.argument(0))
        try await context.client.backUp(path: path)
        if context.output.isJSON { return try await context.output.json("backup", Backup(path: path)) }
        try await context.output.note("wrote \(Plain.line(path))")
    }

    private struct Backup: Encodable {
        let path: String
    }
}
