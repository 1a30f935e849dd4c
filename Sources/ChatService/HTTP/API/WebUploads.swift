// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import ChatAPI
import Foundation
import Glibc

/// Files that browsers gave for messages that are still to be sent; in the profile's folder `web`.
///
/// They outlast a restart, as the messages that wait in the browser do.
final class WebUploads: Sendable {
    struct Upload: Hashable, Codable, Sendable {
        var id: String
        /// As the browser gave it, without folders.
        var name: String
        var size: Int
        /// As the bytes show, whatever the name says.
        var type: String
        var received: Timestamp

        private enum CodingKeys: String, CodingKey {
            case id, name, size, type
            case received = "received_at"
        }
    }

    /// Bytes of one file, and of all that wait.
    static let fileLimit = 1 << 30
    static let totalLimit = 4 << 30
    /// Files that wait.
    static let countLimit = 200
    /// How long one waits, as long as the key that it may be repeated with.
    static let milliseconds = WriteLedger.milliseconds

    private let folder: String
    private let state = Locked<[String: Upload]>([:])
    private let now: @Sendable () -> Timestamp

    init(folder: String, now: @escaping @Sendable () -> Timestamp = { .now }) {
        self.folder = folder
        self.now = now
        mkdir(folder, 0o700)
        var found: [String: Upload] = [:]
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasSuffix(".json") {
            let data = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
            guard let upload = try? JSONDecoder().decode(Upload.self, from: data), upload.id + ".json" == name,
                names.contains(upload.id)
            else { continue }
            found[upload.id] = upload
        }
        // What was cut off by a crash, and what nobody knows.
        for name in names where found[name] == nil && found[String(name.dropLast(5))] == nil {
            unlink(folder + "/" + name)
        }
        state.withLock { $0 = found }
        sweep()
    }

    /// A file to be filled; nil when the disk takes none.
    func receive() -> ReceivedFile? { ReceivedFile(path: "\(folder)/\(randomToken()).part") }

    /// Where the file of that name is, or was; the name has passed `isName`.
    func path(of id: String) -> String { folder + "/" + id }

    /// Whether a text may be the name of a file here.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || byte == 0x2D || byte == 0x5F
            }
    }

    subscript(id: String) -> Upload? { state.withLock { $0[id] } }

    /// Keeps a file that has come whole; blocks until it is on the disk.
    func add(_ file: ReceivedFile, name: String) throws(ChatAPIError) -> Upload {
        sweep()
        // Before the lock, which others need meanwhile.
        file.flush()
        let upload = Upload(
            id: randomToken(), name: Self.safe(name), size: file.count, type: FileKind.type(atPath: file.path),
            received: now())
        try state.withLock { (all) throws(ChatAPIError) in
            guard all.count < Self.countLimit, all.values.reduce(upload.size, { $0 + $1.size }) <= Self.totalLimit
            else {
                throw ChatAPIError(
                    .tooLarge, "too many files wait to be sent", hint: "send some of them, or take them out")
            }
            guard file.keep(as: folder + "/" + upload.id), let data = try? JSONEncoder().encode(upload) else {
                throw WebAccessFile.failed("keep", folder + "/" + upload.id)
            }
            try WebAccessFile.replace("\(folder)/\(upload.id).json", with: Array(data))
            all[upload.id] = upload
        }
        return upload
    }

    /// Forgets a file; false when there is none.
    @discardableResult
    func remove(_ id: String) -> Bool {
        state.withLock { all in
            guard all.removeValue(forKey: id) != nil else { return false }
            unlink("\(folder)/\(id).json")
            unlink("\(folder)/\(id)")
            return true
        }
    }

    private func sweep() {
        let oldest = now().milliseconds &- Self.milliseconds
        for upload in state.withLock({ Array($0.values) }) where upload.received.milliseconds < oldest {
            remove(upload.id)
        }
    }

    /// A name without folders, control characters and what turns the direction of text; never empty, nor hidden.
    static func safe(_ name: String) -> String {
        let last = name.split(whereSeparator: { "/\\".contains($0) }).last.map(String.init) ?? ""
        let plain = String(
            last.unicodeScalars.filter { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
                default: true
                }
            }.map(Character.init))
        var short = ""
        for character in plain.drop(while: { $0 == "." || $0 == " " }) {
            guard short.utf8.count + String(character).utf8.count <= 200 else { break }
            short.append(character)
        }
        return short.isEmpty ? "file" : short
    }
}
