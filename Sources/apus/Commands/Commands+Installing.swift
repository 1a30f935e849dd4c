// SPDX-License-Identifier: Apache-2.0

extension Commands {
    static let completions = CommandSpec(
        path: ["completions"], summary: "print completions for a shell",
        arguments: [ArgumentSpec(name: "SHELL", summary: "bash, zsh or fish")], isAlone: true
    ) { context in
        guard let script = Completions.script(context.argument(0), all) else {
            throw CommandError.usage("SHELL is one of bash, zsh, fish", help: "apus completions --help")
        }
        try await context.output.line(script)
    }

    static let manual = CommandSpec(path: ["manual"], summary: "print the manual page", isAlone: true) { context in
        try await context.output.line(ManualPage.text(all, version: version))
    }
}
