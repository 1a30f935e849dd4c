// SPDX-License-Identifier: Apache-2.0
import ChatKit
import Foundation
import Glibc
import Testing

@testable import ApusDesktop

/// A program under the thread sanitizer needs more address space than a confined one may have.
private let isSanitized = dlsym(nil, "__tsan_init") != nil

@Suite("PictureProgram", .enabled(if: !isSanitized), .timeLimit(.minutes(1)))
struct PictureProgramTests {
    private let folder = NSTemporaryDirectory() + "apus-pictures-" + UUID().uuidString

    private static let path: String = {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (own as NSString).deletingLastPathComponent + "/apus-image"
    }()

    private func file(_ bytes: [UInt8]) throws -> String {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/" + UUID().uuidString
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func script(_ text: String) throws -> String {
        let path = try file(Array("#!/bin/sh\n\(text)\n".utf8))
        chmod(path, 0o700)
        return path
    }

    private static let work: PictureWork = {
        var work = PictureWork()
        (work.full, work.thumbnail, work.preview) = (200, 80, 16)
        return work
    }()

    private func make(_ bytes: [UInt8], _ work: PictureWork = work) async throws -> PictureResult {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await PictureProgram(path: Self.path).make(work, from: try file(bytes))
    }

    private func refusal(_ bytes: [UInt8]) async throws -> ChatError.Code? {
        do {
            _ = try await make(bytes)
            return nil
        } catch let error as ChatError { return error.code }
    }

    @Test("a QR code in a photo is read, one without gives nothing, and what is no photo is refused")
    func scans() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let program = PictureProgram(path: Self.path)
        let text = "xmpp:ana@example.org?roster;preauth=吃饭"
        let code = try #require(QRCode(text))
        #expect(try await program.scan(try file(TestPicture.png(code))) == text)
        #expect(try await program.scan(try file(TestPicture.png(code, scale: 40))) == text)
        #expect(try await program.scan(try file(TestPicture.png(300, 200))) == nil)
        await #expect(throws: ChatError.self) { _ = try await program.scan(try file(Array("<svg/>".utf8))) }
        let whole = TestPicture.png(code)
        await #expect(throws: ChatError.self) { _ = try await program.scan(try file(Array(whole.dropLast(400)))) }
    }

    @Test("a picture becomes a smaller one, a small one and a very small one")
    func makes() async throws {
        let result = try await make(TestPicture.png(600, 300))
        #expect(result.width == 600 && result.height == 300 && result.frames == 1)
        let full = try #require(result.full)
        #expect(full.mediaType == "image/jpeg" && TestPicture.measures(full.bytes) == [200, 100])
        #expect(result.thumbnail.map { TestPicture.measures($0.bytes) } == [80, 40])
        let preview = try #require(result.preview)
        #expect(TestPicture.measures(preview.bytes) == [16, 8] && preview.bytes.count < 1200)
        // A small one does not grow.
        #expect(try await make(TestPicture.png(20, 10)).full?.width == 20)
    }

    @Test("what is transparent stays so where that is wanted, and is white where it is not")
    func transparency() async throws {
        var work = Self.work
        work.keepsTransparency = true
        let result = try await make(TestPicture.png(60, 60, alpha: true), work)
        #expect(result.full?.mediaType == "image/png" && result.thumbnail?.mediaType == "image/jpeg")
    }

    @Test("T154 a picture is turned upright, and nothing of where and how it was taken is left")
    func location() async throws {
        var work = PictureWork()
        work.full = 100
        let plain = try #require(try await make(TestPicture.png(100, 50), work).full?.bytes)
        let located = TestPicture.located(plain, orientation: 6)
        #expect(String(decoding: located, as: UTF8.self).contains("GPS-MARK"))
        let result = try await make(located)
        for made in [result.full, result.thumbnail, result.preview] {
            let bytes = try #require(made?.bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(!text.contains("Exif") && !text.contains("GPS") && !bytes.contains([0xFF, 0xE1]))
        }
        #expect(result.full.map { TestPicture.measures($0.bytes) } == [50, 100])
    }

    @Test("T144 a picture of more pixels than anybody decodes is refused by its headers")
    func bomb() async throws {
        for (width, height) in [(30_000, 30_000), (65_000, 65_000), (16_000, 6_000), (20_000, 1)] {
            let start = ContinuousClock.now
            #expect(
                try await refusal(TestPicture.head(width, height) + TestPicture.chunk("IDAT", [0x78, 1]))
                    == .pictureTooLarge)
            #expect(ContinuousClock.now - start < .seconds(5))
        }
    }

    @Test("T144 half a picture, damaged ones and other kinds are refused")
    func damaged() async throws {
        let png = TestPicture.png(200, 200)
        let jpeg = try #require(try await make(png).full?.bytes)
        for bytes in [Array(png.prefix(png.count / 2)), Array(jpeg.prefix(jpeg.count / 2)), Array(jpeg.prefix(20))] {
            #expect(try await refusal(bytes) == .pictureNotAcceptable)
        }
        for text in ["<svg xmlns='http://www.w3.org/2000/svg'/>", "%PDF-1.7", "BM", "II*\0", "P6 1 1 255\n", ""] {
            #expect(try await refusal(Array(text.utf8)) == .pictureNotAcceptable, "\(text)")
        }
    }

    @Test("T144 a program that is killed, takes too long or answers something else ends as an error, and is gone")
    func failing() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let picture = try file(TestPicture.png(10, 10))
        let mark = folder + "/pid"
        for text in ["kill -9 $$", "echo $$ > \(mark); exec sleep 1000", "echo hello", "exit 1", "cat /dev/zero"] {
            let program = PictureProgram(path: try script(text), deadline: .seconds(1))
            let error = await #expect(throws: ChatError.self, "\(text)") {
                try await program.make(Self.work, from: picture)
            }
            #expect(error?.code == .pictureWorkerFailed, "\(text)")
        }
        let number = try #require(
            pid_t((try String(contentsOfFile: mark, encoding: .utf8)).trimmingCharacters(in: .newlines)))
        #expect(kill(number, 0) != 0)
        let missing = await #expect(throws: ChatError.self) {
            try await PictureProgram(path: folder + "/none").make(Self.work, from: picture)
        }
        #expect(missing?.code == .pictureWorkerFailed)
    }

    @Test("whoever no longer wants a picture ends its program")
    func cancel() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let picture = try file(TestPicture.png(10, 10))
        let mark = folder + "/began"
        let program = PictureProgram(path: try script("echo $$ > \(mark); exec sleep 1000"))
        let task = Task { try await program.make(Self.work, from: picture) }
        while !FileManager.default.fileExists(atPath: mark) { await Task.yield() }
        task.cancel()
        let error = await #expect(throws: ChatError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test("T144 the program can open nothing, connect to nothing, start nothing and grow no further")
    func confined() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = ["probe"]
        process.standardOutput = output
        try process.run()
        process.waitUntilExit()
        let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .split(separator: "\n")
        #expect(lines.count == 10)
        for line in lines { #expect(line.hasSuffix(" refused"), "\(line)") }
    }

    @Test("the program is found beside the one that runs")
    func installed() { #expect(PictureProgram.installed() != nil) }
}

extension [UInt8] {
    fileprivate func contains(_ mark: [UInt8]) -> Bool {
        indices.dropLast(mark.count - 1).contains { self[$0..<($0 + mark.count)].elementsEqual(mark) }
    }
}
