// SPDX-License-Identifier: Apache-2.0

/// A command line, taken apart.
struct ParsedLine: Sendable {
    let command: CommandSpec
    /// Values by the option's name; a switch has the value "".
    var options: [String: String] = [:]
    /// All values of options that may be given several times.
    var lists: [String: [String]] = [:]
    var arguments: [String] = []

    func has(_ option: String) -> Bool { options[option] != nil }
}

/// What a command line asks for.
enum ParsedRequest: Sendable {
    case run(ParsedLine)
    /// Print this on standard output.
    case help(String)
}

/// Takes command lines apart: `apus [options] command [subcommand] [options] [arguments]`.
///
/// `--name value` and `--name=value` are the same; `--` ends the options; `-` alone is an argument.
struct OptionParser: Sendable {
    let commands: [CommandSpec]

    func parse(_ words: [String]) throws(CommandError) -> ParsedRequest {
        var rest = words[...]
        var before: [String] = []
        // Common options and the account may stand before the command's name.
        while let word = rest.first, word.hasPrefix("-"), word != "-" {
            rest.removeFirst()
            before.append(word)
            if let option = Self.find(word, in: CommandSpec.common + [CommandSpec.account]), option.value != nil,
                !word.contains("="),
                let value = rest.first
            {
                rest.removeFirst()
                before.append(value)
            }
        }
        if let index = before.firstIndex(of: "--version") {
            before.remove(at: index)
            rest = ["version"]
        }
        guard let first = rest.first, first != "help" else {
            if rest.first == "help", let topic = command(&rest, skip: 1) { return .help(Usage.text(of: topic)) }
            let topic = Array(rest.dropFirst())
            if let word = topic.first, !commands.contains(where: { $0.path[0] == word }) {
                throw unknownCommand(topic, before)
            }
            if rest.first == "help" || before.contains("--help") || before.contains("-h") {
                return .help(Usage.overview(commands))
            }
            let known = CommandSpec.common + [CommandSpec.account]
            if let word = before.first(where: { $0.hasPrefix("-") && Self.find($0, in: known) == nil }) {
                throw .usage("\"\(word)\" is not an option", help: "apus --help")
            }
            throw .usage("no command given", help: "apus --help")
        }
        guard let command = command(&rest, skip: 0) else { throw unknownCommand(Array(rest), before) }
        return try parse(command, before + rest)
    }

    private func command(_ rest: inout ArraySlice<String>, skip: Int) -> CommandSpec? {
        let words = Array(rest.dropFirst(skip))
        let candidates = commands.filter { words.starts(with: $0.path) }
        guard let found = candidates.max(by: { $0.path.count < $1.path.count }) else { return nil }
        rest = words.dropFirst(found.path.count)
        return found
    }

    private func unknownCommand(_ words: [String], _ before: [String]) -> CommandError {
        let group = commands.filter { $0.path.count > 1 && $0.path[0] == words.first }
        if !group.isEmpty {
            let names = group.map { $0.path[1] }.joined(separator: ", ")
            let next =
                words.dropFirst().first.map { "\"\($0)\" is not a subcommand of" } ?? "a subcommand is missing after"
            return .usage("\(next) \(words[0]): use one of \(names)", help: "apus --help")
        }
        return .usage("\"\(words[0])\" is not a command", help: "apus --help")
    }

    private func parse(_ command: CommandSpec, _ words: [String]) throws(CommandError) -> ParsedRequest {
        let help = "apus \(command.name) --help"
        let known = command.options + CommandSpec.common
        var line = ParsedLine(command: command)
        var rest = words[...]
        var takesOptions = true
        while let word = rest.popFirst() {
            guard takesOptions, word.hasPrefix("-"), word != "-" else {
                line.arguments.append(word)
                continue
            }
            if word == "--" {
                takesOptions = false
                continue
            }
            guard let option = Self.find(word, in: known) else {
                throw .usage("\"\(word)\" is not an option of \(command.name)", help: help)
            }
            var value = word.firstIndex(of: "=").map { String(word[word.index(after: $0)...]) }
            if option.value == nil {
                guard value == nil else { throw .usage("--\(option.name) takes no value", help: help) }
                value = ""
            } else if value == nil {
                value = rest.popFirst()
            }
            guard let value else { throw .usage("--\(option.name) needs a value", help: help) }
            if option.repeats {
                line.lists[option.name, default: []].append(value)
                continue
            }
            guard line.options.updateValue(value, forKey: option.name) == nil else {
                throw .usage("--\(option.name) is given twice", help: help)
            }
        }
        if line.has("help") { return .help(Usage.text(of: command)) }
        let required = command.arguments.filter(\.isRequired)
        if line.arguments.count < required.count {
            throw .usage("\(required[line.arguments.count].name) is missing", help: help)
        }
        if line.arguments.count > command.arguments.count {
            throw .usage(
                "\"\(line.arguments[command.arguments.count])\" is one argument too many for \(command.name)",
                help: help)
        }
        return .run(line)
    }

    private static func find(_ word: String, in options: [OptionSpec]) -> OptionSpec? {
        let name = word.prefix { $0 != "=" }
        if name.hasPrefix("--") {
            let long = String(name.dropFirst(2))
            return options.first { $0.name == long || $0.alias == long }
        }
        guard name.count == 2, let letter = name.last else { return nil }
        return options.first { $0.short == letter }
    }
}
