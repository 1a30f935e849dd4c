// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let files = [upload, fetch, listFiles]

    private static let upload = CommandSpec(
        path: ["upload"], summary: "send a file",
        arguments: [
            ArgumentSpec(name: "FILE", summary: "the file"), ArgumentSpec(name: "JID", summary: "who shall get it"),
        ],
        options: [
            CommandSpec.account, .value("caption", "TEXT", "what is written beside it"),
            .value("name", "NAME", "the name that others see; the default is the file's own"),
            .flag("original", "send a picture as it is, with everything that stands in it, also where it was taken"),
            .value("wait", "STATE", "return when it is queued, acknowledged (the default) or delivered"),
            .value("timeout", "TIME", "how long to wait, such as 30s or 2m; the default is 10m"),
            .value("id", "KEY", "a name for this message: a repeated call with it sends nothing new"),
        ],
        discussion:
            "The file is copied into the profile first. What has not gone out when the time is up, or when there "
            + "is no connection, goes out with the next command that connects."
    ) { context in
        let goal = try goal(context.line)
        let timeout = try context.line.duration("timeout", default: .seconds(600))
        let deadline = ContinuousClock.now + timeout
        let key = try key(context.line)
        var result = try await context.client.sendFile(
            SendFileRequest(
                account: context.account, conversation: context.argument(1),
                path: FilePlace.absolute(context.argument(0)), name: context.line.options["name"],
                caption: context.line.options["caption"], key: key, keepsOriginal: context.line.has("original")))
        result.message = try await settled(result.message, goal, deadline, timeout, context)
        if context.output.isJSON { return try await context.output.json("sent", result) }
        let text = MessageText(style: context.output.style)
        let name = result.message.files?.first.map { text.file($0) } ?? ""
        try await context.output.note("\(text.tick(result.message.state)) \(result.message.state.rawValue) \(name)")
    }

    private static let fetch = CommandSpec(
        path: ["fetch"], summary: "fetch a file of a message",
        arguments: [ArgumentSpec(name: "ID", summary: "the message, as --json prints its id")],
        options: [
            .value("index", "N", "which of its files, from 0"),
            .value("output", "PATH", short: "o", "copy it there; a file that is there is not replaced"),
        ],
        discussion: "The file comes from a server that its sender chose, which learns the address of this machine."
    ) { context in
        let index = try context.line.number("index", atLeast: 0, default: 0)
        let file = try await context.client.fetchFile(FetchFileRequest(message: context.argument(0), index: index))
        guard var file else { throw ChatAPIError(.notFound, "the message has no such file") }
        if let path = context.line.options["output"] {
            let target = FilePlace.absolute(path)
            try await FilePlace.copy(file.path, to: target)
            file.path = target
        }
        if context.output.isJSON { return try await context.output.json("file", file) }
        try await context.output.line(Plain.line(file.path))
    }

    private static let listFiles = CommandSpec(
        path: ["files"], summary: "list the files of a conversation, the newest first",
        arguments: [ArgumentSpec(name: "JID", summary: "the other side's address")],
        options: [
            CommandSpec.account, .value("limit", "N", short: "n", "at most so many; the default is 50"),
            OptionSpec(
                name: "kind", value: "KIND", summary: "only picture, film, sound or other; may be given again",
                repeats: true),
            .value("before", "ID", "go on behind the file with this id"),
        ]
    ) { context in
        let limit = try context.line.number("limit", default: 50)
        var kinds: [FileItem.Kind] = []
        for text in context.line.lists["kind"] ?? [] {
            guard let kind = FileItem.Kind(rawValue: text) else {
                throw CommandError.usage(
                    "--kind takes picture, film, sound or other, not \"\(text)\"", help: "apus files --help")
            }
            kinds.append(kind)
        }
        let files = try await context.client.files(
            FilesRequest(
                conversation: ConversationID(account: context.account, conversation: context.argument(0)),
                kinds: kinds.isEmpty ? nil : kinds, before: context.line.options["before"], limit: limit))
        if context.output.isJSON { return try await context.output.json("files", Files(files: files)) }
        let text = MessageText(style: context.output.style)
        for file in files {
            try await context.output.line("\(Plain.line(file.message))  \(file.state.rawValue)  \(text.file(file))")
        }
        if files.isEmpty { try await context.output.note("no files") }
    }

    private struct Files: Encodable {
        let files: [FileItem]
    }
}
