// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation
import Glibc

/// Runs a command with the shell.
enum ShellCommand {
    /// Gives `input` to the command's standard input and waits for its end; cancelling sends it SIGTERM.
    ///
    /// Returns its exit status, or 128 and the number of the signal that ended it.
    static func run(
        _ command: String, input: [UInt8], environment: [String: String]
    ) async throws(ChatAPIError) -> Int32 {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.environment = environment
        process.standardInput = pipe
        let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            let base: Int32 = process.terminationReason == .uncaughtSignal ? 128 : 0
            continuation.yield(base + process.terminationStatus)
            continuation.finish()
        }
        do {
            try process.run()
        } catch {
            throw ChatAPIError(.fault, "the command given with --exec cannot be started: \(error)")
        }
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        let running = Running(identifier: process.processIdentifier)
        DispatchQueue.global().async {
            // A command that does not read its input is no fault; the write then ends with EPIPE.
            _ = Output.write(descriptor, input)
            try? pipe.fileHandleForWriting.close()
        }
        let status = await withTaskCancellationHandler {
            var status: Int32 = 0
            for await value in ended { status = value }
            return status
        } onCancel: {
            kill(running.identifier, SIGTERM)
        }
        if Task.isCancelled { throw .cancelled }
        return status
    }

    private struct Running: Sendable {
        let identifier: Int32
    }
}
