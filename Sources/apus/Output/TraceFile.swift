// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Dispatch
import Foundation
import Glibc

/// Where the log of the streams goes, with the time before each line; written on a queue of its own.
///
/// A file is appended to and readable for its owner alone.
// Unchecked: what changes is touched on the queue only.
final class TraceFile: @unchecked Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "apus.trace")
    private var isBroken = false

    init(_ path: String) throws(ChatAPIError) {
        guard path != "-" else {
            descriptor = 2
            return
        }
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0o600)
        guard descriptor >= 0 else {
            throw ChatAPIError(
                .invalidArgument, "cannot write \(path): \(String(cString: strerror(errno)))",
                hint: "choose another file for --trace-xml")
        }
    }

    /// Takes a line; returns at once.
    var write: @Sendable (String) -> Void {
        { [self] line in
            let time = Timestamp(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded()))
            queue.async { [self] in
                guard !isBroken else { return }
                isBroken = !Output.write(descriptor, Array("\(time) \(Plain.line(line))\n".utf8))
            }
        }
    }

    /// Returns when everything is written.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                if descriptor > 2 { _ = Glibc.close(descriptor) }
                isBroken = true
                continuation.resume()
            }
        }
    }
}
