// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// The numbers of the column `file.state`; never change one.
enum FileState {
    static let waiting: Int64 = 0
    static let uploading: Int64 = 1
    static let sent: Int64 = 2
    static let failed: Int64 = 3
    static let cancelled: Int64 = 4
    static let remote: Int64 = 10
    static let wanted: Int64 = 11
    static let here: Int64 = 12
    static let refused: Int64 = 13
}

/// A file of a message on its way into the database.
struct NewFile {
    var state: Int64
    var description: FileDescription
    var kind: String?
    var local: (name: String, size: Int64)?
    var thumbnail: (name: String, size: Int64)?

    /// What it has in the folder of files.
    var names: [String] { [local?.name, thumbnail?.name].compactMap(\.self) }
}

extension StoreTransaction {
    /// Gives a message its file.
    @discardableResult
    func insert(_ file: NewFile, message: Int64, in conversation: ConversationRow) throws -> Int64 {
        let metadata = file.description.metadata
        try connection.run(
            """
            INSERT INTO file (account, message, conversation, state, created, name, media_type, size, hashes, width, height,
                duration, explanation, preview, is_inline, sources, kind, local, local_size, thumbnail, thumbnail_size, used)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            conversation.account, message, conversation.id, file.state, now, metadata.safeName,
            metadata.mediaType.map { String($0.prefix(128)) }, metadata.byteCount,
            StoredHashes.text(metadata.hashes), metadata.width, metadata.height, metadata.duration?.milliseconds,
            metadata.explanation.map { String($0.prefix(4096)) }, file.description.preview,
            file.description.isInline, file.description.urls.prefix(16).joined(separator: "\n"), file.kind,
            file.local?.name, file.local?.size ?? 0, file.thumbnail?.name, file.thumbnail?.size ?? 0, now)
        return connection.lastInsertedRow
    }

    /// So long after it was written a file is fetched without asking, in milliseconds.
    private static let freshness: Int64 = 7 * 24 * 60 * 60 * 1000

    /// Takes in the files that a message brought.
    func attach(_ message: NewMessage, to id: Int64, in conversation: ConversationRow) throws {
        try settleGathered()
        let settings: String =
            try connection.value(
                "SELECT settings FROM account WHERE id = ?", conversation.account) ?? "{}"
        let policy = try filePolicy(
            for: message.direction == .outgoing ? .own : Speaker(occupant: message.author), in: conversation,
            AccountSettings(json: settings))
        let isFresh = now - message.sent < Self.freshness
        for description in message.files {
            let isWanted = isFresh && policy.permits(description)
            try insert(
                NewFile(state: isWanted ? FileState.wanted : FileState.remote, description: description), message: id,
                in: conversation)
            if isWanted { changes.files = true }
        }
    }

    /// Moves a file on; tells everybody.
    func set(_ state: Int64, file: Int64, _ failure: MessageFailure? = nil) throws {
        try connection.run(
            "UPDATE file SET state = ?2, failure = ?3, failure_text = ?4 WHERE id = ?1", file, state,
            failure?.reason.rawValue, failure?.text.map { String($0.prefix(1000)) })
        let message: Int64? = try connection.value("SELECT message FROM file WHERE id = ?", file)
        if let message { try changed(message: message) }
    }
}

/// Hashes in a column: one a line, algorithm and digits.
enum StoredHashes {
    static func text(_ hashes: [ContentHash]) -> String {
        hashes.prefix(8).map { "\($0.algorithm) \(hexadecimal($0.value))" }.joined(separator: "\n")
    }

    static func read(_ text: String) -> [ContentHash] {
        text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 2, let value = bytes(String(parts[1])) else { return nil }
            return ContentHash(algorithm: String(parts[0]), value: value)
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func bytes(_ digits: String) -> [UInt8]? {
        let digits = Array(digits.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[place..<(place + 2)], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}
