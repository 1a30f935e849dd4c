// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation
import Glibc

/// File names as the user gave them, made independent of the directory that the process runs in.
enum FilePlace {
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let buffer = getcwd(nil, 0) else { return path }
        defer { free(buffer) }
        return String(cString: buffer) + "/" + path
    }

    /// A whole file, such as a picture.
    static func data(of path: String) throws(ChatAPIError) -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw ChatAPIError(.notFound, "cannot read \(path)")
        }
    }

    /// Copies a file to a place where nothing is, and no link (T182).
    static func copy(_ source: String, to path: String) throws(ChatAPIError) {
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
    static func write(_ bytes: [UInt8], to path: String) throws(ChatAPIError) {
        let to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard to >= 0, Output.write(to, bytes) else {
            throw ChatAPIError(.storage, "cannot write \(path): \(String(cString: strerror(errno)))")
        }
        close(to)
    }
}
