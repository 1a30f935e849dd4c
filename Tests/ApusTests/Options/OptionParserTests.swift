// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import apus

@Suite struct OptionParserTests {
    private let parser = OptionParser(commands: Commands.all)

    private func line(_ words: String...) throws -> ParsedLine {
        guard case .run(let line) = try parser.parse(words) else { throw Wrong() }
        return line
    }

    private func complaint(_ words: [String]) -> String? {
        do {
            _ = try parser.parse(words)
            return nil
        } catch {
            guard case .usage(let text, _) = error else { return nil }
            return text
        }
    }

    private struct Wrong: Error {}

    @Test func `options stand anywhere, with a space or an equals sign`() throws {
        let line = try line("send", "--wait=queued", "bo@example.org", "--timeout", "5s", "hello", "-q")
        #expect(line.command.name == "send")
        #expect(line.arguments == ["bo@example.org", "hello"])
        #expect(line.options == ["wait": "queued", "timeout": "5s", "quiet": ""])
    }

    @Test func `a subcommand is found before its command`() throws {
        #expect(try line("contacts").command.name == "contacts")
        #expect(try line("contacts", "add", "bo@example.org").command.name == "contacts add")
        #expect(try line("account", "register", "ana@example.org").command.name == "account register")
    }

    @Test func `common options may stand before the command`() throws {
        let line = try line("--profile", "work", "--json", "status")
        #expect(line.options == ["profile": "work", "json": ""])
    }

    @Test func `the account may stand before a command that has one`() throws {
        #expect(try line("--account", "a@example.org", "rooms").options == ["account": "a@example.org"])
        #expect(throws: CommandError.self) { try line("--account", "a@example.org", "version") }
    }

    @Test func `two dashes end the options, one is an argument`() throws {
        #expect(try line("send", "bo@example.org", "--", "--json").arguments == ["bo@example.org", "--json"])
        #expect(try line("send", "bo@example.org", "-").arguments == ["bo@example.org", "-"])
        #expect(try line("send", "--", "bo@example.org", "-x").arguments == ["bo@example.org", "-x"])
    }

    @Test func `an option that repeats keeps all its values, in order`() throws {
        let line = try line("account", "register", "a@b", "--field", "x=1", "--field=y=2")
        #expect(line.lists["field"] == ["x=1", "y=2"])
    }

    @Test func `both names of the authority option mean the same`() throws {
        #expect(try line("account", "add", "a@b", "--ca", "f").options["ca"] == "f")
        #expect(try line("account", "add", "a@b", "--ca-file=f").options["ca"] == "f")
    }

    @Test func `a value may look like an option, and may be empty`() throws {
        #expect(try line("send", "a@b", "--id", "-x", "t").options["id"] == "-x")
        #expect(try line("send", "a@b", "--id=", "t").options["id"] == "")
    }

    @Test(arguments: [
        ([], "no command given"), (["--json"], "no command given"), (["--nope"], "\"--nope\" is not an option"),
        (["-V"], "\"-V\" is not an option"), (["help", "dance"], "\"dance\" is not a command"),
        (["dance"], "\"dance\" is not a command"),
        (
            ["account"],
            "a subcommand is missing after account: use one of add, register, list, trust, media, remove, password, export, import"
        ),
        (
            ["account", "zap"],
            "\"zap\" is not a subcommand of account: use one of add, register, list, trust, media, remove, password, export, import"
        ),
        (["send"], "JID is missing"), (["send", "a", "b", "c"], "\"c\" is one argument too many for send"),
        (["send", "a", "--nope"], "\"--nope\" is not an option of send"),
        (["send", "a", "-x"], "\"-x\" is not an option of send"), (["send", "a", "--wait"], "--wait needs a value"),
        (["send", "a", "--json=yes"], "--json takes no value"),
        (["send", "a", "--wait", "queued", "--wait=queued"], "--wait is given twice"),
        (["send", "a", "--password-file", "x"], "\"--password-file\" is not an option of send"),
    ])
    func `what is wrong is said`(words: [String], text: String) {
        #expect(complaint(words) == text)
    }

    @Test func `a password is never an argument`() {
        for command in Commands.all {
            for option in command.options where option.value != nil {
                #expect(!["password", "secret", "pass"].contains(option.name))
            }
            #expect(!command.arguments.contains { $0.name.lowercased().contains("pass") })
        }
    }

    @Test func `every command has its own help, which names every option`() throws {
        for command in Commands.all {
            guard case .help(let text) = try parser.parse(command.path + ["--help"]) else { throw Wrong() }
            #expect(text.hasPrefix("apus \(command.name) - \(command.summary)\n\nusage: apus \(command.name)"))
            for option in command.options + CommandSpec.common { #expect(text.contains("--\(option.name)")) }
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
        }
    }

    @Test(arguments: [["--help"], ["-h"], ["help"]])
    func `the overview lists every command`(words: [String]) throws {
        guard case .help(let text) = try parser.parse(words) else { throw Wrong() }
        for command in Commands.all { #expect(text.contains(command.summary)) }
    }

    @Test func `help for one command, and the version by option`() throws {
        guard case .help(let text) = try parser.parse(["help", "send"]) else { throw Wrong() }
        #expect(text.hasPrefix("apus send - "))
        #expect(try line("--version").command.name == "version")
    }
}
