// SPDX-License-Identifier: Apache-2.0
import ApusDesktop
import ChatAPI
import ChatService
import Foundation
import Glibc

/// The program: takes the command line apart, runs the command, and turns its end into one line and an exit status.
@main struct Apus {
    static func main() async {
        Self.openStandardDescriptors()
        setlocale(LC_ALL, "")
        let environment = ProcessInfo.processInfo.environment
        let words = Array(CommandLine.arguments.dropFirst())
        let style = Style(environment: environment, isTerminal: isatty(1) == 1)
        let end = Ending()
        let work = Task { await run(words, environment, style) }
        Signals.observe { number in end.received(number, work) }
        let code = await work.value
        TerminalMode.restore()
        exit((end.signalCode(command: code) ?? code).rawValue)
    }

    private static func run(_ words: [String], _ environment: [String: String], _ style: Style) async -> ExitCode {
        let wantsJSON = words.prefix { $0 != "--" }.contains("--json")
        let plain = Output(style: style, isJSON: wantsJSON, isQuiet: false)
        do {
            switch try OptionParser(commands: Commands.all).parse(words) {
            case .help(let text): try await plain.line(text)
            case .run(let line): try await run(line, environment, style)
            }
            return .success
        } catch {
            return await report(CommandError(error), plain)
        }
    }

    private static func run(_ line: ParsedLine, _ environment: [String: String], _ style: Style) async throws {
        let output = Output(style: style, isJSON: line.has("json"), isQuiet: line.has("quiet"))
        let named = line.options["profile"] ?? environment["APUS_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
        let profile = named ?? "default"
        if line.command.isAlone {
            let context = Context(
                line: line, client: nil, output: output, input: StandardInput(), environment: environment,
                profile: profile)
            return try await line.command.run(context)
        }
        let paths = try ProfilePaths(profile: profile, environment: environment)
        let program = "apus \(Commands.version)"
        let trace = try line.options["trace-xml"].map { try TraceFile($0) }
        var options = CoreOptions()
        options.trace = trace?.write
        options.tracesText = line.has("trace-text")
        options.pictureWorker = PictureProgram.installed()
        options.nameServers = environment["APUS_NAME_SERVERS"].flatMap { $0.isEmpty ? nil : $0 }
        if environment["APUS_KEYRING"] != "off" { options.secretKeeper = { SecretService.find() } }
        let client = ProfileClient(
            paths: paths, program: program, role: line.command.name,
            opener: LocalChatClient.opener(program: program, role: line.command.name, options: options))
        let context = Context(
            line: line, client: client, output: output, input: StandardInput(), environment: environment,
            profile: profile)
        do {
            if trace != nil, case .attached(let holder) = try await client.backend() {
                await output.warn(
                    "'apus \(holder.core.role)' holds the profile, process \(holder.core.process), so its streams are not"
                        + " traced here; stop it, or start it with --trace-xml")
            }
            try await line.command.run(context)
        } catch {
            await close(client)
            await trace?.close()
            throw error
        }
        await close(client)
        await trace?.close()
    }

    /// A task of its own, so that it is done in order after a Ctrl-C too; then with less patience for others.
    private static func close(_ client: ProfileClient) async {
        let isInterrupted = Task.isCancelled
        await Task.detached {
            await client.close(
                linger: isInterrupted ? .zero : .seconds(5), limit: isInterrupted ? .seconds(2) : .seconds(30))
        }.value
    }

    private static func report(_ error: CommandError, _ output: Output) async -> ExitCode {
        switch error {
        case .brokenPipe: break
        case .usage(let text, let help):
            await output.warn("\(text); see '\(help)'")
            let wrong = ChatAPIError(.invalidArgument, text, hint: "see '\(help)'")
            if output.isJSON { try? await output.json("error", Failure(error: wrong)) }
        case .chat(let error):
            // Whoever pressed Ctrl-C knows why it ended.
            if error.code == .cancelled, Task.isCancelled { break }
            await output.warn(error.description + (error.hint.map { "; " + $0 } ?? ""))
            if output.isJSON { try? await output.json("error", Failure(error: error)) }
        }
        return error.exitCode
    }

    /// A descriptor that is closed would be given to the next file opened, and messages for the user would end up there.
    private static func openStandardDescriptors() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDWR)
        }
    }
}

/// The object that `--json` prints for an error.
private struct Failure: Encodable {
    let error: ChatAPIError
}
