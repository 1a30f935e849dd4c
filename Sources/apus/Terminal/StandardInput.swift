// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Glibc

/// Standard input of this process, and the terminal for questions.
struct StandardInput: TextInput {
    var isTerminal: Bool { isatty(0) == 1 }

    func all(limit: Int) async throws(ChatAPIError) -> [UInt8] {
        var bytes: [UInt8] = []
        for await piece in pieces() {
            bytes += piece
            if bytes.count > limit {
                throw ChatAPIError(
                    .tooLarge, "standard input has more than \(limit) bytes", hint: "send a shorter text")
            }
        }
        if Task.isCancelled { throw .cancelled }
        return bytes
    }

    func pieces() -> AsyncStream<[UInt8]> { DescriptorReader(0).pieces() }

    func secret(prompt: String) async throws(ChatAPIError) -> String? {
        try await ask(prompt, .silent)
    }

    func answer(prompt: String) async throws(ChatAPIError) -> String? {
        try await ask(prompt, nil)
    }

    /// The question goes to the terminal itself, so that it is seen and answered when input and output are pipes.
    private func ask(_ prompt: String, _ mode: TerminalMode.Mode?) async throws(ChatAPIError) -> String? {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        defer { close(terminal) }
        if let mode, !TerminalMode.enter(mode, terminal) { return nil }
        defer { if mode != nil { TerminalMode.restore() } }
        // A terminal may be stopped.
        await Output.writeApart(terminal, Array(prompt.utf8))
        var bytes: [UInt8] = []
        for await piece in DescriptorReader(terminal).pieces() {
            bytes += piece
            if bytes.contains(0x0A) || bytes.count > 4096 { break }
        }
        if mode != nil { await Output.writeApart(terminal, [0x0A]) }
        if Task.isCancelled { throw .cancelled }
        let line = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        return String(decoding: line, as: UTF8.self)
    }
}
