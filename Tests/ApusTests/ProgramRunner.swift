// SPDX-License-Identifier: Apache-2.0
import ChatTesting
import Foundation

/// Runs the built program in a home of its own.
struct ProgramRunner {
    struct Run {
        var status: Int32
        var output: String
        var errors: String
    }

    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static var program: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (own as NSString).deletingLastPathComponent + "/apus"
    }

    /// Runs the program through the shell, so that pipes and redirections are those of real life.
    func shell(_ script: String, environment extra: [String: String] = [:]) async throws -> Run {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script]
        process.environment = [
            "PATH": "/usr/bin:/bin", "HOME": directory.path, "XDG_RUNTIME_DIR": directory.path, "APUS": Self.program,
        ].merging(extra) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return Run(
            status: status, output: String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
            errors: String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }
}
