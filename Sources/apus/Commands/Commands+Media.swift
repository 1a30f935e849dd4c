// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let mediaAccount = CommandSpec(
        path: ["account", "media"], summary: "show or change how an account sends and fetches files",
        arguments: [ArgumentSpec(name: "JID", summary: "the account's address")],
        options: [
            .value("server", "URL", "put files there where the server has no upload service; empty for none"),
            .flag("prefer-server", "put files there always"), .flag("no-prefer-server", "no longer so"),
            OptionSpec(
                name: "host", value: "HOST",
                summary: "a host on this machine or in a private network that files may come from; may be given again",
                repeats: true),
            .flag("no-hosts", "none of those, before the other options"),
            .flag("body-type", "mark pictures for the programs of a chat tutorial"),
            .flag("no-body-type", "no longer so"),
            .value("fetch-up-to", "BYTES", "fetch files of contacts up to this size without asking; 0 for none"),
        ],
        discussion: """
            Without options it shows what is set. No link leads to this machine or into a private network, unless the
            host is named here. Files of strangers and of rooms are fetched only when you ask for them.
            """
    ) { context in
        let line = context.line
        let before = try await context.client.media(MediaRequest(account: context.argument(0)))
        var settings = before
        if line.has("no-hosts") { settings.hosts = [] }
        for host in line.lists["host"] ?? [] where !settings.hosts.contains(host) { settings.hosts.append(host) }
        if let server = line.options["server"] { settings.server = server.isEmpty ? nil : server }
        if line.has("prefer-server") { settings.prefersServer = true }
        if line.has("no-prefer-server") { settings.prefersServer = false }
        if line.has("body-type") { settings.sendsBodyType = true }
        if line.has("no-body-type") { settings.sendsBodyType = false }
        settings.fetchesUpTo = try line.number("fetch-up-to", atLeast: 0, default: settings.fetchesUpTo)
        if settings != before {
            settings = try await context.client.media(MediaRequest(account: context.argument(0), settings: settings))
        }
        if context.output.isJSON { return try await context.output.json("media", settings) }
        try await context.output.line("media server: \(Plain.line(settings.server ?? "none"))")
        if settings.prefersServer { try await context.output.line("files always go there") }
        let hosts = settings.hosts.isEmpty ? "none" : settings.hosts.joined(separator: ", ")
        try await context.output.line("private hosts: \(Plain.line(hosts))")
        if settings.sendsBodyType { try await context.output.line("pictures are marked for tutorial programs") }
        try await context.output.line("fetched without asking: up to \(settings.fetchesUpTo) bytes")
    }
}
