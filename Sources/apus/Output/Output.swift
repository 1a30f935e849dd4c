// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Dispatch
import Foundation
import Glibc

/// Standard output and standard error, a line at a time, written on a queue of their own so that a slow reader of a
/// pipe stops nobody else.
struct Output: Sendable {
    let style: Style
    let isJSON: Bool
    let isQuiet: Bool
    private let queue = DispatchQueue(label: "apus.output")
    private let sink: @Sendable (_ descriptor: Int32, _ bytes: [UInt8]) -> Bool

    /// `sink` takes what is written to a descriptor; false means that it cannot be written, for the reason in `errno`.
    init(
        style: Style, isJSON: Bool, isQuiet: Bool,
        sink: @escaping @Sendable (Int32, [UInt8]) -> Bool = { Output.write($0, $1) }
    ) {
        self.style = style
        self.isJSON = isJSON
        self.isQuiet = isQuiet
        self.sink = sink
    }

    /// Writes a line to standard output.
    func line(_ text: String) async throws(CommandError) {
        try await raw(text + "\n")
    }

    /// Writes bytes to standard output as they are.
    func raw(_ text: String) async throws(CommandError) {
        guard let reason = await put(1, Array(text.utf8)) else { return }
        guard [ENOSPC, EDQUOT, EFBIG].contains(reason) else { throw .brokenPipe }
        throw .chat(
            ChatAPIError(
                .storage, "the output cannot be written: \(String(cString: strerror(reason)))",
                hint: "choose another place for it"))
    }

    /// Writes one JSON object on one line, with `"schema": "apus.NAME/1"` beside its members.
    func json<Value: Encodable & Sendable>(_ schema: String, _ value: Value) async throws(CommandError) {
        try await line(Self.text(schema, value))
    }

    /// Writes a line for people, unless they asked for JSON or for silence.
    func note(_ text: String) async throws(CommandError) {
        if !isJSON && !isQuiet { try await line(text) }
    }

    /// Writes several lines to standard error, before a question.
    func say(_ text: String) async {
        _ = await put(2, Array((text + "\n").utf8))
    }

    /// Writes a one-line remark to standard error.
    func warn(_ text: String) async {
        _ = await put(2, Array("apus: \(Plain.line(text))\n".utf8))
    }

    static func text<Value: Encodable>(_ schema: String, _ value: Value) throws(CommandError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        do {
            let data = try encoder.encode(Versioned(schema: "apus.\(schema)/1", value: value))
            return Plain.escapedJSON(String(decoding: data, as: UTF8.self))
        } catch {
            throw .chat(.init(.fault, "the reply cannot be written as JSON"))
        }
    }

    /// Nil when all of it is written, else why not.
    private func put(_ descriptor: Int32, _ bytes: [UInt8]) async -> Int32? {
        await withCheckedContinuation { continuation in
            queue.async {
                errno = EPIPE
                continuation.resume(returning: sink(descriptor, bytes) ? nil : errno)
            }
        }
    }

    /// Writes all bytes, waiting for a slow reader on no thread of the shared pool.
    @discardableResult
    static func writeApart(_ descriptor: Int32, _ bytes: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: write(descriptor, bytes)) }
        }
    }

    /// Writes all bytes, waiting for a slow reader.
    static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                if count >= 0 {
                    written += count
                } else if errno == EAGAIN || errno == EWOULDBLOCK {
                    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&entry, 1, -1)
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }
}

/// A value's members and the name of their schema in one object.
private struct Versioned<Value: Encodable>: Encodable {
    let schema: String
    let value: Value

    private enum CodingKeys: CodingKey { case schema }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(schema, forKey: .schema)
    }
}
