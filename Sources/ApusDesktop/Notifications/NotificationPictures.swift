// SPDX-License-Identifier: Apache-2.0
internal import ApusTransport
package import ChatKit
internal import Glibc

/// Small pictures for notifications, as files that a desktop may read.
///
/// What others sent never gets there: each picture is made anew by whoever decodes pictures, and lies in a private folder
/// under its hash. Owner of its state: the actor; the folder is its alone, and emptied when it begins.
package actor NotificationPictures {
    /// The longest side in pixels; desktops show about half of that, and twice as much on fine screens.
    static let side = 128
    /// So many files are kept; the oldest go first.
    static let limit = 100

    private let folder: String
    private let worker: any PictureWorker
    private let queue = BlockingQueue("apus.notification-pictures")
    private var isReady: Bool?
    /// The files by hash, nil for what cannot be shown.
    private var known: [String: String?] = [:]
    private var order: [String] = []

    /// - Parameter folder: Its parent exists and is private.
    package init(folder: String, worker: any PictureWorker) {
        self.folder = folder
        self.worker = worker
    }

    /// The file of a picture; nil for what is no picture, and when it takes too long.
    ///
    /// - Parameters:
    ///   - hash: The picture's name.
    ///   - patience: How long a notification may wait for its picture; it is made all the same, for the next one.
    ///   - bytes: Fetches the picture as others sent it, when it is needed.
    package nonisolated func file(
        _ hash: String, within patience: Duration = .seconds(2), _ bytes: @escaping @Sendable () async -> [UInt8]?
    ) async -> String? {
        let (answers, answer) = AsyncStream.makeStream(of: String?.self)
        Task { answer.yield(await file(hash, bytes)) }
        let timer = Task {
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            answer.yield(nil)
        }
        defer { timer.cancel() }
        for await file in answers { return file }
        return nil
    }

    private func file(_ hash: String, _ bytes: @Sendable () async -> [UInt8]?) async -> String? {
        guard Self.isName(hash) else { return nil }
        if let file = known[hash] { return file }
        if isReady == nil { isReady = await queue.run { [folder] in Self.prepare(folder) } }
        guard isReady == true, let bytes = await bytes() else { return nil }
        let made = await make(hash, bytes)
        if known.updateValue(made, forKey: hash) == nil { order.append(hash) }
        if order.count > Self.limit, let old = known.removeValue(forKey: order.removeFirst()), let old {
            await queue.run { _ = unlink(old) }
        }
        return made
    }

    private func make(_ hash: String, _ bytes: [UInt8]) async -> String? {
        let (foreign, folder) = (folder + "/" + hash + ".foreign", folder)
        defer { unlink(foreign) }
        do {
            try await queue.run { () throws(ChatError) in try ProfileFolder.writePrivateFile(foreign, bytes) }
            var work = PictureWork()
            work.thumbnail = Self.side
            guard let picture = try await worker.make(work, from: foreign).thumbnail else { return nil }
            let file = folder + "/" + hash + (picture.mediaType == "image/png" ? ".png" : ".jpg")
            try await queue.run { () throws(ChatError) in try ProfileFolder.writePrivateFile(file, picture.bytes) }
            return file
        } catch {
            // The notification says what it has to say without it.
            return nil
        }
    }

    /// Whether it leads to nothing but a file of the folder: a hash in hexadecimal digits.
    private static func isName(_ hash: String) -> Bool {
        (16...128).contains(hash.utf8.count)
            && hash.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Makes the folder, or empties it; false when it is not ours alone.
    private static func prepare(_ folder: String) -> Bool {
        mkdir(folder, 0o700)
        var status = stat()
        guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(),
            status.st_mode & 0o077 == 0, let entries = opendir(folder)
        else { return false }
        defer { closedir(entries) }
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { unlink(folder + "/" + name) }
        }
        return true
    }
}
