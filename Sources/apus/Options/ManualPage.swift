// SPDX-License-Identifier: Apache-2.0

/// The manual page, made from the commands' own descriptions.
enum ManualPage {
    static func text(_ commands: [CommandSpec], version: String) -> String {
        var lines = [
            ".\\\" Made by 'apus manual'.", ".TH APUS 1 \"\" \"apus \(version)\" \"User Commands\"", ".SH NAME",
            "apus \\- chat over XMPP", ".SH SYNOPSIS", ".B apus", ".I COMMAND", "[options]", ".SH DESCRIPTION",
            "Sends and receives messages over XMPP, from the command line, for scripts, and with",
            ".B apus serve \\-\\-port", "for browsers. One process holds a profile; all others attach to it.",
            ".SH COMMANDS",
        ]
        for command in commands {
            let arguments = command.arguments.map { $0.isRequired ? $0.name : "[\($0.name)]" }
            lines += [
                ".SS \"\(escaped(([command.name] + arguments).joined(separator: " ")))\"",
                escaped(sentence(command.summary)),
            ]
            if !command.discussion.isEmpty { lines += [".PP", escaped(command.discussion.replacing("\n", with: " "))] }
            lines += command.arguments.flatMap { [".TP", ".I \(escaped($0.name))", escaped($0.summary)] }
            lines += command.options.flatMap(option)
        }
        lines += [".SH \"OPTIONS OF EVERY COMMAND\""] + CommandSpec.common.flatMap(option)
        lines += [
            ".SH FILES", ".TP", ".I $XDG_DATA_HOME/apus/PROFILE",
            "the profile; ~/.local/share/apus without that variable",
            ".TP", ".I $XDG_RUNTIME_DIR/apus/PROFILE.sock", "the socket of the process that holds the profile",
            ".SH \"EXIT STATUS\"",
            "0 success, 1 failure, 2 wrong usage, 3 not found, 4 authentication, 5 network, 6 time out, 7 certificate,",
            "8 busy, 9 refused, 130 interrupted.",
        ]
        return lines.joined(separator: "\n")
    }

    private static func option(_ option: OptionSpec) -> [String] {
        let name = (option.short.map { "-\($0), " } ?? "") + "--\(option.name)"
        let value = option.value.map { " \\fI\(escaped($0))\\fR" } ?? ""
        return [".TP", "\\fB\(escaped(name))\\fR\(value)", escaped(option.summary)]
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }

    /// A line that begins with a dot or a quote would be an instruction.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}
