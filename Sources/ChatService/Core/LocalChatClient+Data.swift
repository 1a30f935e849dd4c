// SPDX-License-Identifier: Apache-2.0
import ApusTransport
package import ChatAPI
import ChatKit
import Glibc
import XMPP

extension LocalChatClient {
    package nonisolated func export(_ request: ExportRequest) async throws(ChatAPIError) -> ExportResult {
        guard request.path.hasPrefix("/") else { throw ChatAPIError(.invalidArgument, "an export needs a whole path") }
        if request.format == .account || request.format == .accountWithoutMessages {
            return try await exportAccount(request)
        }
        let format = ExportFormat(rawValue: request.format.rawValue) ?? .json
        if let name = request.conversation {
            let id = try await existing(ConversationID(account: request.account, conversation: name))
            try await write(id, format, to: request.path)
            return ExportResult(files: [request.path])
        }
        let account = try await optionalAccount(request.account)
        guard mkdir(request.path, 0o700) == 0 || errno == EEXIST else { throw Self.failure("make", request.path) }
        let all = try await asking { () async throws(ChatError) in try await core.conversations() }
        var files: [String] = []
        for conversation in all where account == nil || conversation.account == account {
            let name = "\(conversation.account) \(conversation.peer)".map { "/\0".contains($0) ? "_" : $0 }
            let path = request.path + "/" + String(name) + "." + (format == .text ? "txt" : format.rawValue)
            try await write(conversation.id, format, to: path)
            files.append(path)
        }
        return ExportResult(files: files)
    }

    package nonisolated func importConversation(_ request: ImportRequest) async throws(ChatAPIError) -> ImportResult {
        let account = try await account(request.account)
        // It may be a pipe that is written slowly.
        let bytes = try await BlockingQueue.shared.run { () throws(ChatAPIError) in try Self.content(of: request.path) }
        if request.isAccount == true { return try await importAccount(bytes, account) }
        let text = String(decoding: bytes, as: UTF8.self)
        return try await asking { () async throws(ChatError) in
            ImportResult(messages: try await core.importConversation(text, account: account))
        }
    }

    private static let importBytes = 1 << 30

    private static func content(of path: String) throws(ChatAPIError) -> [UInt8] {
        guard let stream = fopen(path, "re") else { throw failure("read", path) }
        defer { fclose(stream) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
            bytes += buffer[..<count]
            guard bytes.count <= importBytes else { throw ChatAPIError(.tooLarge, "the export is too large") }
        }
        return bytes
    }

    private nonisolated func exportAccount(_ request: ExportRequest) async throws(ChatAPIError) -> ExportResult {
        let account = try await account(request.account)
        try await write(to: request.path) { (put) async throws(ChatError) in
            try await core.exportAccount(account, includesMessages: request.format == .account, to: put)
        }
        return ExportResult(files: [request.path])
    }

    private nonisolated func importAccount(_ bytes: [UInt8], _ account: JID) async throws(ChatAPIError) -> ImportResult
    {
        let taken = try await asking { () async throws(ChatError) in
            try await core.importAccount(bytes, into: account)
        }
        var result = ImportResult(messages: taken.messages)
        (result.contacts, result.blocked, result.card) = (taken.contacts, taken.blocked, taken.hasCard)
        return result
    }

    private nonisolated func write(
        _ conversation: Conversation.ID, _ format: ExportFormat, to path: String
    ) async throws(ChatAPIError) {
        try await write(to: path) { (put) async throws(ChatError) in
            try await core.export(conversation, as: format, to: put)
        }
    }

    /// Makes a file of what `export` puts out; one that is not whole is removed.
    private nonisolated func write(
        to path: String, _ export: (@escaping @Sendable (String) async throws -> Void) async throws(ChatError) -> Void
    ) async throws(ChatAPIError) {
        // A file of others is never written into, nor a link followed (T182).
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("write", path) }
        defer { Glibc.close(descriptor) }
        do {
            try await asking { () async throws(ChatError) in
                try await export { piece in
                    try await BlockingQueue.shared.run { try Self.put(Array(piece.utf8), to: descriptor, path) }
                }
            }
        } catch {
            unlink(path)
            throw error
        }
        try await BlockingQueue.shared.run { () throws(ChatAPIError) in
            guard fsync(descriptor) == 0 else { throw Self.failure("write", path) }
        }
    }

    private static func put(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ChatError(.storageFailed, failure("write", path).description) }
            written += count
        }
    }

    private static func failure(_ verb: String, _ path: String) -> ChatAPIError {
        let code: ChatAPIError.Code = errno == ENOENT ? .notFound : .storage
        return ChatAPIError(code, "cannot \(verb) \(path): \(String(cString: strerror(errno)))")
    }
}
