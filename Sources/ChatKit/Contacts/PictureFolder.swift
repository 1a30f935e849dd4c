// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import Foundation
internal import Glibc
package import XMPP

/// Pictures on disk, each under its name, so that it is there once for however many people and accounts.
///
/// Those that were kept first go when the folder is full. Owner of its state: the actor, on a queue of its own; the files are
/// the folder's alone.
package actor PictureFolder: PictureCache {
    private let path: String
    private let capacity: Int
    private var total: Int?
    private let executor = QueueExecutor(label: "apus.picture-folder")

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter capacity: The most bytes of all pictures.
    package init(path: String, capacity: Int = 64 << 20) {
        self.path = path
        self.capacity = capacity
    }

    package func picture(_ hash: PictureHash) -> [UInt8]? {
        guard let found = try? ProfileFolder.readPrivateFile(file(hash)) else { return nil }
        return found
    }

    package func keep(_ picture: Picture) {
        let file = file(picture.hash)
        mkdir(path, 0o700)
        if access(file, F_OK) == 0 { return }
        guard picture.bytes.count <= capacity,
            (try? ProfileFolder.writePrivateFile(file, picture.bytes)) != nil
        else { return }
        let sum = (total ?? size(entries())) + (total == nil ? 0 : picture.bytes.count)
        total = sum
        if sum > capacity { shrink() }
    }

    private func file(_ hash: PictureHash) -> String { path + "/" + hash.description }

    private struct Entry {
        let path: String
        let size: Int
        let changed: Int
    }

    private func entries() -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.compactMap { name in
            var status = stat()
            let file = path + "/" + name
            guard lstat(file, &status) == 0 else { return nil }
            return Entry(path: file, size: Int(status.st_size), changed: Int(status.st_mtim.tv_sec))
        }
    }

    private func size(_ entries: [Entry]) -> Int { entries.reduce(0) { $0 + $1.size } }

    private func shrink() {
        let entries = entries().sorted { ($0.changed, $0.path) < ($1.changed, $1.path) }
        var sum = size(entries)
        for entry in entries where sum > capacity * 3 / 4 {
            unlink(entry.path)
            sum -= entry.size
        }
        total = sum
    }
}
