// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let data = [export, importConversation, backup]

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
        guard let format = ExportRequest.Format(rawValue: format) else {
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
