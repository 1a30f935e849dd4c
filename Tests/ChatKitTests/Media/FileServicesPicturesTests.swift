// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
import Testing
import XMPP

@testable import ChatKit

/// Makes pictures by a script.
private struct FakeWorker: PictureWorker {
    let answer: @Sendable (PictureWork) throws(ChatError) -> PictureResult

    func make(_ work: PictureWork, from path: String) async throws(ChatError) -> PictureResult { try answer(work) }

    static let jpeg = MadePicture(
        bytes: [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 3, 0, 4, 1, 0, 0, 0], mediaType: "image/jpeg", width: 4, height: 3)
}

@Suite("FileServices+Pictures", .timeLimit(.minutes(1)))
struct FileServicesPicturesTests {
    /// What a PNG of these measures begins with.
    private func png(_ width: UInt8, _ height: UInt8) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, width, 0, 0, 0, height, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0]
    }

    private func services(
        _ folder: TemporaryFolder, _ worker: (any PictureWorker)?
    ) -> FileServices {
        FileServices(
            folder: MediaFolder(path: folder.file("media")), transfers: TransferBook(hub: ChangeHub()),
            ownPorts: { [] },
            maximumBytes: 1 << 20, worker: worker, adjust: { $0 })
    }

    private func stored(_ services: FileServices, _ folder: TemporaryFolder, _ bytes: [UInt8]) throws
        -> MediaFolder.Stored
    {
        let path = folder.file("a.png")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return try services.folder.copy(path, limit: 1 << 20)
    }

    @Test("T154 a picture that is sent is made anew: other bytes, with their own type, name, hash and measures")
    func remade() async throws {
        let folder = try TemporaryFolder()
        let asked = Locked<PictureWork?>(nil)
        let worker = FakeWorker { work throws(ChatError) in
            asked.withLock { $0 = work }
            var result = PictureResult(width: 1024, height: 768)
            (result.full, result.thumbnail, result.preview) = (FakeWorker.jpeg, FakeWorker.jpeg, FakeWorker.jpeg)
            return result
        }
        let services = services(folder, worker)
        let old = try stored(services, folder, png(4, 3))
        let file = try await services.prepare(old, name: "cup.png", keepsOriginal: false)
        #expect(asked.withLock { $0?.full } == FileServices.fullSide)
        let metadata = file.description.metadata
        #expect(metadata.name == "cup.jpg" && metadata.mediaType == "image/jpeg" && file.kind == "image/jpeg")
        #expect(metadata.width == 4 && metadata.height == 3 && metadata.byteCount == FakeWorker.jpeg.bytes.count)
        #expect(metadata.hashes == [.sha256(of: FakeWorker.jpeg.bytes)])
        #expect(file.description.preview?.hasPrefix("data:image/jpeg;base64,") == true)
        #expect(Set(services.folder.names()) == Set(file.names) && file.names.count == 2)
        #expect(!services.folder.has(old.name))
    }

    @Test("as it is, a picture keeps its bytes, and a moving one always does")
    func original() async throws {
        let folder = try TemporaryFolder()
        let worker = FakeWorker { work throws(ChatError) in
            #expect(work.full == nil)
            var result = PictureResult(width: 1024, height: 768)
            result.thumbnail = FakeWorker.jpeg
            return result
        }
        let services = services(folder, worker)
        let file = try await services.prepare(
            try stored(services, folder, png(4, 3)), name: "cup.png", keepsOriginal: true)
        #expect(file.kind == "image/png" && file.thumbnail != nil && file.description.metadata.width == 1024)
        let gif = Array("GIF89a".utf8) + [4, 0, 3, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 4, 0, 3, 0, 0, 2, 0, 0x3B]
        let moving = try await services.prepare(try stored(services, folder, gif), name: "x.gif", keepsOriginal: false)
        #expect(moving.kind == "image/gif")
    }

    @Test("T154 a picture that cannot be prepared is not sent with all that stands in it, unless it is to go as it is")
    func refused() async throws {
        let folder = try TemporaryFolder()
        let worker = FakeWorker { _ throws(ChatError) in throw ChatError(.pictureNotAcceptable, "no picture") }
        let services = services(folder, worker)
        let old = try stored(services, folder, png(4, 3))
        let error = await #expect(throws: ChatError.self) {
            try await services.prepare(old, name: "cup.png", keepsOriginal: false)
        }
        #expect(error?.code == .pictureNotAcceptable)
        let file = try await services.prepare(old, name: "cup.png", keepsOriginal: true)
        #expect(file.kind == "image/png" && file.thumbnail == nil)
    }

    @Test("T154 without what prepares pictures none is sent as it is unless the user says so, of any kind")
    func missing() async throws {
        let folder = try TemporaryFolder()
        let services = services(folder, nil)
        let heic = [0, 0, 0, 24] + Array("ftypheic".utf8) + [UInt8](repeating: 0, count: 16)
        let tiff: [UInt8] = [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0]
        for (bytes, code) in [
            (png(4, 3), ChatError.Code.pictureWorkerMissing), (png(255, 255), .pictureNotAcceptable),
            (heic, .pictureNotAcceptable), (tiff, .pictureNotAcceptable),
        ] {
            let old = try stored(services, folder, bytes)
            let error = await #expect(throws: ChatError.self) {
                try await services.prepare(old, name: "cup", keepsOriginal: false)
            }
            #expect(error?.code == code && error?.description.contains("send it as it is") == true)
            #expect(try await services.prepare(old, name: "cup", keepsOriginal: true).local?.name == old.name)
        }
        let text = try await services.prepare(
            try stored(services, folder, Array("tea".utf8)), name: "tea.txt", keepsOriginal: false)
        #expect(text.description.metadata.mediaType == "text/plain")
    }

    @Test("T154 a picture that moves is not made anew, so it is not sent where it says more than its pixels")
    func movingDetails() async throws {
        let folder = try TemporaryFolder()
        let services = services(folder, nil)
        let gif = Array("GIF89a".utf8) + [4, 0, 3, 0, 0, 0, 0]
        let xmp = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [1, 0x78, 0]
        let image: [UInt8] = [0x2C, 0, 0, 0, 0, 4, 0, 3, 0, 0, 2, 0, 0x3B]
        let plain = try stored(services, folder, gif + image)
        #expect(try await services.prepare(plain, name: "x.gif", keepsOriginal: false).kind == "image/gif")
        let telling = try stored(services, folder, gif + xmp + image)
        await #expect(throws: ChatError.self) {
            try await services.prepare(telling, name: "x.gif", keepsOriginal: false)
        }
        #expect(try await services.prepare(telling, name: "x.gif", keepsOriginal: true).kind == "image/gif")
    }

    @Test("T144 a picture that came and cannot be decoded, or is too large by its headers, may not be shown")
    func look() async throws {
        let folder = try TemporaryFolder()
        let isWilling = Locked(false)
        let worker = FakeWorker { _ throws(ChatError) in
            guard isWilling.withLock({ $0 }) else { throw ChatError(.pictureWorkerFailed, "killed") }
            var result = PictureResult(width: 1024, height: 768)
            result.thumbnail = FakeWorker.jpeg
            return result
        }
        let services = services(folder, worker)
        let name = try stored(services, folder, png(4, 3)).name
        #expect(await services.look(at: name, .png).kind == nil)
        isWilling.withLock { $0 = true }
        let seen = await services.look(at: name, .png)
        #expect(seen.kind == .png && seen.size?.width == 1024 && seen.thumbnail == FakeWorker.jpeg)
        let bomb = try stored(services, folder, png(255, 255)).name
        #expect(await services.look(at: bomb, .png).kind == nil)
        // What nobody decodes here is what it is.
        #expect(await services.look(at: name, .ogg).kind == .ogg)
        // Without a worker the headers decide.
        #expect(await self.services(folder, nil).look(at: name, .png).kind == .png)
        #expect(await self.services(folder, nil).look(at: bomb, .png).kind == nil)
    }

    @Test("measures are those of the picture as it is seen")
    func upright() {
        var result = PictureResult(width: 1024, height: 768)
        result.thumbnail = MadePicture(bytes: [], mediaType: "image/jpeg", width: 3, height: 4)
        #expect(result.upright.width == 768 && result.upright.height == 1024)
        result.thumbnail = MadePicture(bytes: [], mediaType: "image/jpeg", width: 4, height: 3)
        #expect(result.upright.width == 1024 && result.upright.height == 768)
    }
}
