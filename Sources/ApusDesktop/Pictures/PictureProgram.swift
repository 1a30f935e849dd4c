// SPDX-License-Identifier: Apache-2.0
package import ChatKit
import Dispatch
import Glibc

/// Has pictures decoded by `apus-image`, one after another, each in a process of its own that ends with it.
///
/// What comes back is checked like anything from outside.
package struct PictureProgram: PictureWorker {
    private let path: String
    private let deadline: Duration
    /// One at a time: so many pictures may come at once, and so much memory there is.
    private static let queue = DispatchQueue(label: "apus.pictures")

    /// - Parameters:
    ///   - path: The program.
    ///   - deadline: The longest time for one picture. Defaults to 20 seconds.
    package init(path: String, deadline: Duration = .seconds(20)) {
        self.path = path
        self.deadline = deadline
    }

    /// The program beside the one that runs, or where packages put it; nil when there is none.
    package static func installed(deadline: Duration = .seconds(20)) -> PictureProgram? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? ""
        let places = ["\(folder)/apus-image", "\(folder)/../libexec/apus/apus-image"]
        return places.first { access($0, X_OK) == 0 }.map { PictureProgram(path: $0, deadline: deadline) }
    }

    package func make(_ work: PictureWork, from file: String) async throws(ChatError) -> PictureResult {
        try await run(Self.arguments(work), file) { (output) throws(ChatError) in
            try PictureFrames.read(output, work)
        }
    }

    /// The text of the QR code in a photo; nil when there is none.
    package func scan(_ file: String) async throws(ChatError) -> String? {
        try await run(["scan"], file) { (output) throws(ChatError) in try PictureFrames.text(output) }
    }

    private func run<Reply: Sendable>(
        _ arguments: [String], _ file: String, _ read: @escaping @Sendable ([UInt8]) throws(ChatError) -> Reply
    ) async throws(ChatError) -> Reply {
        let process = PictureProcess()
        let (path, deadline) = (path, deadline)
        let result: Result<Reply, ChatError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Self.queue.async {
                    do throws(ChatError) {
                        // The wait for those before does not count.
                        let output = try process.run(path, arguments, input: file, until: .now + deadline)
                        continuation.resume(returning: .success(try read(output)))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
        } onCancel: {
            process.cancel()
        }
        return try result.get()
    }

    private static func arguments(_ work: PictureWork) -> [String] {
        var words: [String] = []
        if let box = work.full { words.append("full=\(box)") }
        if work.keepsTransparency { words.append("alpha") }
        if let box = work.thumbnail { words.append("thumbnail=\(box)") }
        if let box = work.preview { words.append("preview=\(box)") }
        return words
    }
}
