// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// A file as the database has it.
struct FileRow: Sendable, Hashable {
    let id: Int64
    let account: Int64
    let message: Int64
    let conversation: Int64
    let state: Int64
    let failure: MessageFailure?
    let attempts: Int
    let metadata: FileMetadata
    let preview: String?
    let isInline: Bool?
    let sources: [String]
    let kind: String?
    let local: String?
    let localSize: Int64
    let thumbnail: String?
    let created: Int64

    static let columns = """
        f.id, f.account, f.message, f.conversation, f.state, f.failure, f.failure_text, f.attempts, f.name, f.media_type,
        f.size, f.hashes, f.width, f.height, f.duration, f.explanation, f.preview, f.is_inline, f.sources, f.kind, f.local,
        f.local_size, f.thumbnail, f.created
        """

    init(_ row: Statement) {
        (id, account, message) = (row.column(0), row.column(1), row.column(2))
        (conversation, state) = (row.column(3), row.column(4))
        let text: String? = row.column(6)
        failure = row.column(5, as: String?.self).map { MessageFailure(.init(rawValue: $0), text: text) }
        attempts = row.column(7)
        metadata = FileMetadata(
            name: row.column(8), mediaType: row.column(9), byteCount: row.column(10),
            hashes: StoredHashes.read(row.column(11)), width: row.column(12), height: row.column(13),
            duration: row.column(14, as: Int64?.self).map { .milliseconds($0) }, explanation: row.column(15))
        preview = row.column(16)
        isInline = row.column(17)
        sources = row.column(18, as: String.self).split(separator: "\n").map(String.init)
        (kind, local, localSize) = (row.column(19), row.column(20), row.column(21))
        (thumbnail, created) = (row.column(22), row.column(23))
    }

    /// The name that is shown and saved under.
    var shownName: String {
        let ending = ContentType.ending(of: kind ?? metadata.mediaType ?? "application/octet-stream")
        return metadata.safeName ?? (MessageFile.Kind(mediaType: kind ?? metadata.mediaType).rawValue + ending)
    }

    /// Bytes are here, and of a kind that is harmless to show.
    var isProven: Bool { local != nil && kind.flatMap { FileKind(rawValue: $0) } != nil }

    var file: MessageFile {
        let failure = failure ?? MessageFailure(.fileFailed)
        let state: MessageFile.State =
            switch self.state {
            case FileState.waiting: .waiting
            case FileState.uploading: .uploading
            case FileState.sent: .sent
            case FileState.failed: .failed(failure)
            case FileState.cancelled: .cancelled
            case FileState.wanted: .wanted
            case FileState.here: .here
            case FileState.refused: .refused(failure)
            default: .remote
            }
        return MessageFile(
            id: .init(rawValue: id), message: .init(rawValue: message), name: shownName,
            mediaType: kind ?? metadata.mediaType, isProven: isProven,
            byteCount: local != nil ? localSize : metadata.byteCount.map(Int64.init), width: metadata.width,
            height: metadata.height, duration: metadata.duration, preview: preview, url: sources.first,
            hasThumbnail: thumbnail != nil, state: state)
    }
}

extension Queries {
    /// The files of messages, in the order in which each has them.
    static func files(_ connection: Connection, messages: [Int64]) throws -> [Int64: [MessageFile]] {
        guard !messages.isEmpty else { return [:] }
        let ids = "[" + messages.map(String.init).joined(separator: ",") + "]"
        let rows = try connection.rows(
            """
            SELECT \(FileRow.columns) FROM json_each(?) j JOIN file f ON f.message = j.value ORDER BY f.message, f.id
            """, ids
        ) { FileRow($0) }
        var files: [Int64: [MessageFile]] = [:]
        for row in rows {
            var file = row.file
            file.index = files[row.message]?.count ?? 0
            files[row.message, default: []].append(file)
        }
        return files
    }

    /// One file of a message, counted from 0.
    static func file(_ connection: Connection, message: Int64, index: Int) throws -> FileRow? {
        try connection.first(
            "SELECT \(FileRow.columns) FROM file f WHERE f.message = ? ORDER BY f.id LIMIT 1 OFFSET ?", message,
            max(0, index)
        ) { FileRow($0) }
    }

    static func file(_ connection: Connection, id: Int64) throws -> FileRow? {
        try connection.first("SELECT \(FileRow.columns) FROM file f WHERE f.id = ?", id) { FileRow($0) }
    }

    /// The next file of an account that something is to be done with.
    static func nextFile(
        _ connection: Connection, account: Int64, states: ClosedRange<Int64>, due: Int64
    ) throws -> FileRow? {
        try connection.first(
            """
            SELECT \(FileRow.columns) FROM file f INDEXED BY file_work
            WHERE f.account = ? AND f.state BETWEEN ? AND ? AND f.state IN (0, 1, 11) AND f.due <= ?
            ORDER BY f.id LIMIT 1
            """, account, states.lowerBound, states.upperBound, due
        ) { FileRow($0) }
    }

    /// When the next of those that failed for now may be tried again.
    static func nextDue(_ connection: Connection, account: Int64, states: ClosedRange<Int64>) throws -> Int64? {
        let time: Int64?? = try connection.value(
            "SELECT min(due) FROM file WHERE account = ? AND state BETWEEN ? AND ? AND state IN (0, 1, 11)", account,
            states.lowerBound, states.upperBound)
        return time ?? nil
    }

    /// The files of a conversation, those of the newest messages first.
    static func gallery(
        _ connection: Connection, conversation: Int64, kinds: Set<MessageFile.Kind>, before: Int64?, limit: Int
    ) throws -> [MessageFile] {
        // What a file is shown as is known by its type alone, which is short work for as many as there are.
        let place = try before.flatMap { id in
            try connection.first(
                "SELECT m.sort, f.id FROM file f JOIN message m ON m.id = f.message WHERE f.id = ?", id
            ) {
                ($0.column(0, as: Int64.self), $0.column(1, as: Int64.self))
            }
        }
        let clauses = kinds.map { kind in
            switch kind {
            case .picture: "t LIKE 'image/%'"
            case .film: "t LIKE 'video/%'"
            case .sound: "t LIKE 'audio/%'"
            case .other: "t NOT LIKE 'image/%' AND t NOT LIKE 'video/%' AND t NOT LIKE 'audio/%'"
            }
        }
        let filter = clauses.isEmpty ? "1" : clauses.map { "(\($0))" }.joined(separator: " OR ")
        return try connection.rows(
            """
            SELECT \(FileRow.columns), m.sort, coalesce(f.kind, f.media_type, '') AS t,
                (SELECT count(*) FROM file o WHERE o.message = f.message AND o.id < f.id) FROM file f
            JOIN message m ON m.id = f.message
            WHERE f.conversation = ?1 AND m.retracted IS NULL AND (\(filter))
                AND (?2 IS NULL OR (m.sort, -f.id) < (?2, -?3))
            ORDER BY m.sort DESC, f.id LIMIT ?4
            """, conversation, place?.0, place?.1, limit
        ) { row in
            var file = FileRow(row).file
            file.index = row.column(26)
            return file
        }
    }
}
