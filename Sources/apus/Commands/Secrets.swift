// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Glibc

/// Where passwords come from: a file, standard input, the environment or a question; never the command line, which
/// other users can read.
enum Secrets {
    /// `confirms` asks twice on a terminal, for a password that is new.
    static func password(_ context: Context, prompt: String, confirms: Bool = false) async throws -> String {
        let password: String
        if let file = context.line.options["password-file"] {
            password = try await firstLine(file, "password-file", context)
        } else if let value = context.environment["APUS_PASSWORD"], !value.isEmpty {
            password = value
        } else if let typed = try await context.input.secret(prompt: prompt + ": ") {
            if confirms, try await context.input.secret(prompt: "The same again: ") != typed {
                throw ChatAPIError(.invalidArgument, "the two passwords differ", hint: "run the command again")
            }
            password = typed
        } else {
            throw CommandError.usage(
                "there is no terminal to ask for the password; give it with --password-file FILE, with - for standard "
                    + "input, or in APUS_PASSWORD", help: "apus \(context.line.command.name) --help")
        }
        guard !password.isEmpty else {
            throw ChatAPIError(.invalidArgument, "the password is empty", hint: "run the command again")
        }
        return password
    }

    /// What `--proxy-login-file` holds: a user and a password with a colon between them.
    static func proxyLogin(_ context: Context) async throws -> (user: String, password: String)? {
        guard let file = context.line.options["proxy-login-file"] else { return nil }
        let line = try await firstLine(file, "proxy-login-file", context)
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw ChatAPIError(
                .invalidArgument, "the first line of \(file) is no login", hint: "write it as user:password")
        }
        return (parts[0], parts[1])
    }

    private static func firstLine(_ file: String, _ option: String, _ context: Context) async throws -> String {
        let bytes: [UInt8]
        if file == "-" {
            bytes = try await context.input.all(limit: limit)
        } else {
            // Opening a pipe would wait for a writer.
            let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
            guard descriptor >= 0 else {
                throw ChatAPIError(
                    .notFound, "cannot read \(file): \(String(cString: strerror(errno)))",
                    hint: "check the name given with --\(option)")
            }
            defer { close(descriptor) }
            var read: [UInt8] = []
            for await piece in DescriptorReader(descriptor).pieces() {
                read += piece
                if read.count > limit || read.contains(0x0A) { break }
            }
            bytes = read
        }
        guard let text = String(validating: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self) else {
            throw ChatAPIError(.invalidArgument, "the password is not UTF-8", hint: "check \(file)")
        }
        return text
    }

    private static let limit = 65_536
}
