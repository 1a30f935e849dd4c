// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import apus

@Suite struct CompletionsTests {
    @Test("Every command and every option of it is completed, in each shell", arguments: Completions.shells)
    func complete(_ shell: String) throws {
        let script = try #require(Completions.script(shell, Commands.all))
        for command in Commands.all {
            for word in command.path { #expect(script.contains(word), "\(command.name)") }
            for option in command.options {
                #expect(script.contains(shell == "fish" ? "-l \(option.name)" : "--\(option.name)"), "\(option.name)")
            }
        }
        #expect(Completions.script("csh", Commands.all) == nil)
    }

    @Test("The scripts are ones that their shells can read")
    func readable() async throws {
        let runner = try ProgramRunner()
        let run = try await runner.shell(
            """
            "$APUS" completions bash >"$HOME/bash" && bash -n "$HOME/bash" && . "$HOME/bash"
            words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _apus; echo "${COMPREPLY[*]}"; }
            words apus ser; words apus sessions re; words apus sessions revoke --a; words apus account add --host
            """)
        #expect(run.output == "serve\nrevoke\n--all\n--host\n", "\(run)")
    }

    @Test("The manual page has every command and option, and no line that would be another instruction")
    func manual() {
        let text = ManualPage.text(Commands.all, version: "9")
        for command in Commands.all {
            #expect(text.contains(".SS \"\(command.name)"), "\(command.name)")
            for option in command.options {
                let name = option.name.replacing("-", with: "\\-")
                #expect(text.contains("\\-\\-\(name)\\fR"), "\(option.name)")
            }
        }
        let known = [".\\\"", ".TH ", ".SH ", ".SS ", ".TP", ".PP", ".B ", ".I "]
        for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(known.contains { line.hasPrefix($0) }, "\(line)")
        }
    }
}
