// SPDX-License-Identifier: Apache-2.0

/// Help texts, made from the commands' own descriptions.
enum Usage {
    static func overview(_ commands: [CommandSpec]) -> String {
        let width = commands.map { synopsis($0).count }.max() ?? 0
        var lines = ["apus - chat over XMPP", "", "usage: apus COMMAND [options]", "", "commands:"]
        for command in commands {
            lines.append("  " + padded(synopsis(command), width) + "  " + command.summary)
        }
        lines += ["", "options of every command:"] + rows(CommandSpec.common)
        lines += ["", "'apus COMMAND --help' tells more; exit statuses and JSON schemas are in docs/CLI.md."]
        return lines.joined(separator: "\n")
    }

    static func text(of command: CommandSpec) -> String {
        var lines = ["apus \(command.name) - \(command.summary)", "", "usage: apus \(synopsis(command)) [options]"]
        if !command.arguments.isEmpty {
            let width = command.arguments.map(\.name.count).max() ?? 0
            lines += ["", "arguments:"]
            lines += command.arguments.map { "  " + padded($0.name, width) + "  " + $0.summary }
        }
        lines += ["", "options:"] + rows(command.options + CommandSpec.common)
        if !command.discussion.isEmpty { lines += [""] + wrapped(command.discussion, 80) }
        return lines.joined(separator: "\n")
    }

    private static func wrapped(_ text: String, _ width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(whereSeparator: \.isWhitespace) {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    private static func synopsis(_ command: CommandSpec) -> String {
        ([command.name] + command.arguments.map { $0.isRequired ? $0.name : "[\($0.name)]" }).joined(separator: " ")
    }

    private static func rows(_ options: [OptionSpec]) -> [String] {
        let names = options.map { option in
            (option.short.map { "-\($0), " } ?? "") + "--\(option.name)" + (option.value.map { " \($0)" } ?? "")
        }
        let width = names.map(\.count).max() ?? 0
        return zip(names, options).map { "  " + padded($0, width) + "  " + $1.summary }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
