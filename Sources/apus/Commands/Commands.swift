// SPDX-License-Identifier: Apache-2.0

/// Every command of the program, in the order of the help.
enum Commands {
    static let version = "0.1.0"

    static let all: [CommandSpec] =
        accounts + portableAccounts + [profile] + contacts + requests + blocking
        + [send, chat, history, search] + files + outbox
        + [conversations, mute, notifications] + rooms + data + [listen, notify, status, doctor, serve] + browsers
        + [completions, manual, showVersion]

    static let showVersion = CommandSpec(path: ["version"], summary: "print the program's version", isAlone: true) {
        context in
        if context.output.isJSON {
            try await context.output.json("version", Version(version: version))
        } else {
            try await context.output.line("apus \(version)")
        }
    }

    private struct Version: Encodable {
        let version: String
    }
}
