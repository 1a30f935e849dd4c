// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Dispatch
import Foundation
import Glibc

/// File names as the user gave them, made independent of the directory that the process runs in.
enum FilePlace {
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let buffer = getcwd(nil, 0) else { return path }
        defer { free(buffer) }
        return String(cString: buffer) + "/" + path
    }

    /// The most bytes of a file that is read whole.
    static let dataBytes = 64 << 20

    /// A whole file, such as a picture; cancelling ends the wait for what a pipe does not bring.
    static func data(of path: String) async throws(ChatAPIError) -> Data {
        // Opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            if descriptor >= 0 { close(descriptor) }
            throw ChatAPIError(.notFound, "cannot read \(path)")
        }
        defer { close(descriptor) }
        var data = Data()
        for await piece in DescriptorReader(descriptor).pieces() {
            data += piece
            guard data.count <= dataBytes else { throw ChatAPIError(.tooLarge, "\(path) is too large") }
        }
        if Task.isCancelled { throw .cancelled }
        return data
    }

    /// Copies a file to a place where nothing is, and no link (T182).
    static func copy(_ source: String, to path: String) async throws(ChatAPIError) {
        try await apart { () throws(ChatAPIError) in try copyNow(source, to: path) }
    }

    private static func copyNow(_ source: String, to path: String) throws(ChatAPIError) {
        let from = open(source, O_RDONLY | O_CLOEXEC)
        guard from >= 0 else {
            throw ChatAPIError(.notFound, "cannot read the file: \(String(cString: strerror(errno)))")
        }
        defer { close(from) }
        let to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard to >= 0 else { throw ChatAPIError(.storage, "cannot write \(path): \(String(cString: strerror(errno)))") }
        defer { close(to) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(from, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count == 0 { return }
            guard count > 0, Output.write(to, Array(buffer[..<count])) else {
                unlink(path)
                throw ChatAPIError(.storage, "cannot write \(path): \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Writes a file where nothing is, and no link (T182).
    static func write(_ bytes: [UInt8], to path: String) async throws(ChatAPIError) {
        try await apart { () throws(ChatAPIError) in
            let to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard to >= 0 else {
                throw ChatAPIError(.storage, "cannot write \(path): \(String(cString: strerror(errno)))")
            }
            defer { close(to) }
            guard Output.write(to, bytes) else {
                throw ChatAPIError(.storage, "cannot write \(path): \(String(cString: strerror(errno)))")
            }
        }
    }

    /// Has the disk waited for on no thread of the shared pool.
    private static func apart(_ work: @escaping @Sendable () throws(ChatAPIError) -> Void) async throws(ChatAPIError) {
        let failure: ChatAPIError? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                do throws(ChatAPIError) {
                    try work()
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
        if let failure { throw failure }
    }
}
