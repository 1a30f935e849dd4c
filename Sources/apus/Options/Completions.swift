// SPDX-License-Identifier: Apache-2.0

/// Shell completions, made from the commands' own descriptions.
enum Completions {
    static let shells = ["bash", "zsh", "fish"]

    /// The script for a shell; nil for one that is not known.
    static func script(_ shell: String, _ commands: [CommandSpec]) -> String? {
        switch shell {
        case "bash": bash(commands)
        case "zsh": "#compdef apus\nautoload -U +X bashcompinit && bashcompinit\n" + bash(commands)
        case "fish": fish(commands)
        default: nil
        }
    }

    private static func options(_ command: CommandSpec) -> [OptionSpec] { command.options + CommandSpec.common }

    /// Words that may follow `apus WORD`, in the order of the help.
    private static func second(_ commands: [CommandSpec], after first: String) -> [String] {
        commands.filter { $0.path.count > 1 && $0.path[0] == first }.map { $0.path[1] }
    }

    private static func firsts(_ commands: [CommandSpec]) -> [String] {
        var words: [String] = []
        for command in commands where !words.contains(command.path[0]) { words.append(command.path[0]) }
        return words
    }

    private static func bash(_ commands: [CommandSpec]) -> String {
        var lines = [
            "# Completions of apus for bash; made by 'apus completions bash'.", "_apus() {",
            "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} name= i",
            "    for ((i = 1; i < COMP_CWORD; i++)); do",
            "        [[ ${COMP_WORDS[i]} == -* ]] || name+=${name:+ }${COMP_WORDS[i]}", "    done",
            "    case $before in",
        ]
        let files = Set(commands.flatMap(options).filter { ["FILE", "DIR"].contains($0.value) }.map(\.name)).sorted()
        lines.append(
            "    " + files.map { "--" + $0 }.joined(separator: " | ")
                + ") COMPREPLY=($(compgen -f -- \"$word\")); return ;;")
        lines += ["    esac", "    local words=", "    case $name in"]
        lines.append("    '') words='\(firsts(commands).joined(separator: " "))' ;;")
        // Of two commands the longer name has to come first.
        for command in commands.sorted(by: { $0.path.count > $1.path.count }) {
            let switches = options(command).map { "--" + $0.name }
            let more = command.path.count == 1 ? second(commands, after: command.path[0]) : []
            lines.append("    '\(command.name)'*) words='\((more + switches).joined(separator: " "))' ;;")
        }
        for first in firsts(commands) where !commands.contains(where: { $0.path == [first] }) {
            lines.append("    '\(first)'*) words='\(second(commands, after: first).joined(separator: " "))' ;;")
        }
        lines += ["    esac", "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))", "}", "complete -F _apus apus"]
        return lines.joined(separator: "\n")
    }

    private static func fish(_ commands: [CommandSpec]) -> String {
        var lines = ["# Completions of apus for fish; made by 'apus completions fish'.", "complete -c apus -f"]
        for command in commands {
            let (first, rest) = (command.path[0], command.path.dropFirst().first)
            if let rest {
                lines.append(
                    "complete -c apus -n '__fish_seen_subcommand_from \(first)' -a \(rest) -d \(quoted(command.summary))"
                )
            } else {
                lines.append("complete -c apus -n __fish_use_subcommand -a \(first) -d \(quoted(command.summary))")
            }
            for option in options(command) {
                let condition = command.path.map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
                let short = option.short.map { " -s \($0)" } ?? ""
                let value = option.value == nil ? "" : ["FILE", "DIR"].contains(option.value) ? " -r -F" : " -x"
                lines.append(
                    "complete -c apus -n '\(condition)' -l \(option.name)\(short)\(value) -d \(quoted(option.summary))")
            }
        }
        for first in firsts(commands) where !commands.contains(where: { $0.path == [first] }) {
            lines.append("complete -c apus -n __fish_use_subcommand -a \(first)")
        }
        return lines.joined(separator: "\n")
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
