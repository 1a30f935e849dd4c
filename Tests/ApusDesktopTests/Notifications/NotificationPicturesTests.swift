// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatKit
import Foundation
import Testing

@testable import ApusDesktop

@Suite("NotificationPictures", .timeLimit(.minutes(1)))
struct NotificationPicturesTests {
    // So long as a machine under load may need.
    private static let patience = Duration.seconds(30)
    private static let hash = String(repeating: "0a", count: 20)
    private let folder = NSTemporaryDirectory() + "apus-notes-" + UUID().uuidString

    private func names() -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
    private func remove() { try? FileManager.default.removeItem(atPath: folder) }

    @Test("what a desktop gets was made anew, lies under its hash in a private folder, and is made once")
    func made() async throws {
        defer { remove() }
        let worker = FakeWorker()
        let pictures = NotificationPictures(folder: folder, worker: worker)
        let file = try #require(await pictures.file(Self.hash, within: Self.patience) { Array("foreign".utf8) })
        #expect(file == folder + "/" + Self.hash + ".png")
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(FakeWorker.made))
        #expect(worker.seen.withLock { $0 } == [Array("foreign".utf8)])
        #expect(names() == [Self.hash + ".png"])
        let rights = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
        #expect(rights == 0o700)
        #expect(await pictures.file(Self.hash, within: Self.patience) { nil } == file)
        #expect(worker.seen.withLock { $0.count } == 1)
    }

    @Test("what cannot be decoded, and what has no name of a picture, is not shown, and leaves nothing")
    func refused() async {
        defer { remove() }
        let worker = FakeWorker(fails: true)
        let pictures = NotificationPictures(folder: folder, worker: worker)
        #expect(await pictures.file(Self.hash, within: Self.patience) { [1] } == nil)
        #expect(names().isEmpty)
        for name in ["../../" + Self.hash, "a", "", Self.hash + "/x", "0A" + Self.hash] {
            #expect(await pictures.file(name, within: Self.patience) { [1] } == nil)
        }
        #expect(worker.seen.withLock { $0.count } == 1)
    }

    @Test("a folder that others can look into is not used")
    func open() async throws {
        defer { remove() }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let pictures = NotificationPictures(folder: folder, worker: FakeWorker())
        #expect(await pictures.file(Self.hash, within: Self.patience) { [1] } == nil)
    }

    @Test("what an earlier run left goes, and a notification does not wait for long")
    func slow() async throws {
        defer { remove() }
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        try #require(FileManager.default.createFile(atPath: folder + "/old.png", contents: nil))
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let pictures = NotificationPictures(folder: folder, worker: FakeWorker())
        let early = await pictures.file(Self.hash, within: .milliseconds(50)) {
            for await _ in gate {}
            return [1]
        }
        #expect(early == nil)
        opening.finish()
        #expect(await pictures.file(Self.hash, within: Self.patience) { [1] } != nil)
        #expect(!names().contains("old.png"))
    }
}

/// Makes the same picture of everything.
private struct FakeWorker: PictureWorker {
    static let made: [UInt8] = [0x89, 0x50, 1, 2, 3]

    var fails = false
    let seen = Locked<[[UInt8]]>([])

    func make(_ work: PictureWork, from path: String) async throws(ChatError) -> PictureResult {
        let bytes = FileManager.default.contents(atPath: path).map { Array($0) } ?? []
        seen.withLock { $0.append(bytes) }
        if fails { throw ChatError(.pictureNotAcceptable, "no picture") }
        var result = PictureResult(width: 1, height: 1)
        if work.thumbnail != nil {
            result.thumbnail = MadePicture(bytes: Self.made, mediaType: "image/png", width: 1, height: 1)
        }
        return result
    }
}
