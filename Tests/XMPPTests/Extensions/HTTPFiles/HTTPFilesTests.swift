// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Foundation
import Testing
import TransportTesting
@testable import XMPP

@Suite("Files of the Web", .timeLimit(.minutes(1)))
struct HTTPFilesTests {
    static let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("apus-files-\(UUID().uuidString)")

    func files(_ server: HTTPTestServer, trusts: Set<String> = ["media.test"]) -> HTTPFiles {
        var access = HTTPAccess()
        access.trustedHosts = trusts
        access.trust = Trust(usesSystemRoots: false, authorityFiles: [server.authority])
        access.server = server.endpoint
        access.deadline = .seconds(20)
        return HTTPFiles(access)
    }

    func path(_ name: String = "file") throws -> String {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.appendingPathComponent(name).path
    }

    /// What is in the folder: nothing may stay of what failed.
    var left: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] }

    func failure(_ work: () async throws -> Void) async -> XMPPError.Code? {
        do {
            try await work()
            return nil
        } catch { return (error as? XMPPError)?.code }
    }

    @Test("a file comes whole, readable by its owner alone, with its hash and its kind")
    func downloads() async throws {
        let picture = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.content
        let server = try HTTPTestServer { _, _ in .response("200 OK", picture, fields: ["Content-Type: text/html"]) }
        defer { server.stop() }
        let place = try path()
        let told = Locked([TransferProgress]())
        let metadata = FileMetadata(byteCount: picture.count, hashes: [.sha256(of: picture)])
        let file = try await files(server).download("https://media.test/x", to: place, expecting: metadata) {
            progress in
            told.withLock { $0.append(progress) }
        }
        #expect(FileManager.default.contents(atPath: place).map(Array.init) == picture)
        #expect(file.byteCount == Int64(picture.count) && file.hash == .sha256(of: picture) && file.kind == .png)
        #expect(file.announcedType == "text/html")
        #expect(told.withLock { $0.last?.fraction } == 1)
        let rights = try FileManager.default.attributesOfItem(atPath: place)[.posixPermissions] as? Int
        #expect(rights == 0o600 && left == ["file"])
        #expect(
            await failure { _ = try await files(server).download("https://media.test/x", to: place) } == .fileUnusable)
        #expect(FileManager.default.contents(atPath: place).map(Array.init) == picture && left == ["file"])
        #expect(try await files(server).data(from: "https://media.test/x") == picture)
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("T150 a name that turns out to be this machine is not connected to, unless it is trusted")
    func rebinding() async throws {
        let server = try HTTPTestServer { _, _ in .response("200 OK", [1]) }
        defer { server.stop() }
        #expect(
            await failure { _ = try await files(server, trusts: []).data(from: "https://media.test/") }
                == .forbiddenAddress)
        #expect(server.connections == 0)
        #expect(try await files(server).data(from: "https://media.test/") == [1])
    }

    @Test("T150 a redirect to a host that is not trusted is checked anew, and not followed without https")
    func redirects() async throws {
        let server = try HTTPTestServer { request, _ in
            switch request.path {
            case "/far": .response("302 Found", fields: ["Location: https://other.test/near"])
            case "/plain": .response("302 Found", fields: ["Location: http://media.test/near"])
            case "/number": .response("302 Found", fields: ["Location: https://127.0.0.1/near"])
            case "/round": .response("307 Again", fields: ["Location: /round"])
            case "/once": .response("301 Moved", fields: ["Location: near"])
            default: .response("200 OK", [7])
            }
        }
        defer { server.stop() }
        let files = files(server)
        #expect(try await files.data(from: "https://media.test/once") == [7])
        let before = server.connections
        #expect(await failure { _ = try await files.data(from: "https://media.test/far") } == .forbiddenAddress)
        #expect(await failure { _ = try await files.data(from: "https://media.test/plain") } == .badURL)
        #expect(await failure { _ = try await files.data(from: "https://media.test/number") } == .forbiddenAddress)
        #expect(server.connections == before + 3)
        #expect(await failure { _ = try await files.data(from: "https://media.test/round") } == .httpRefused)
        #expect(server.connections == before + 7)
    }

    @Test("T151 no byte more is taken than was announced or is permitted, and nothing stays of what is too long")
    func caps() async throws {
        let endless = Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + [UInt8](repeating: 0x61, count: 3_000_000)
        let server = try HTTPTestServer { request, _ in
            request.path == "/endless" ? .bytes(endless) : .response("200 OK", Self.content)
        }
        defer { server.stop() }
        let place = try path()
        for url in ["https://media.test/endless", "https://media.test/told"] {
            let announced = FileMetadata(byteCount: 10_000)
            #expect(
                await failure { _ = try await files(server).download(url, to: place, expecting: announced) }
                    == .fileTooLarge)
            var small = files(server)
            small.access.maximumBytes = 100_000
            #expect(await failure { _ = try await small.download(url, to: place) } == .fileTooLarge)
            #expect(await failure { _ = try await files(server).data(from: url, limit: 50_000) } == .fileTooLarge)
        }
        #expect(left.isEmpty)
        #expect(
            await failure {
                _ = try await files(server).download(
                    "https://media.test/told", to: place, expecting: FileMetadata(byteCount: Self.content.count + 1))
            } == .contentMismatch)
        #expect(left.isEmpty)
    }

    @Test("T151 a compressed body is not blown up: it comes as it is")
    func compressed() async throws {
        let packed: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0x4B, 4, 0, 0x43, 0xBE, 0xB7, 0xE8, 1, 0, 0, 0]
        let server = try HTTPTestServer { _, _ in .response("200 OK", packed, fields: ["Content-Encoding: gzip"]) }
        defer { server.stop() }
        #expect(try await files(server).data(from: "https://media.test/") == packed)
        #expect(server.requests.first?.values("accept-encoding").isEmpty == true)
    }

    @Test("T155 a file with another hash than the announced one is thrown away")
    func wrongHash() async throws {
        let server = try HTTPTestServer { _, _ in .response("200 OK", Self.content) }
        defer { server.stop() }
        let place = try path()
        let other = FileMetadata(hashes: [ContentHash(algorithm: "sha-512", value: [UInt8](repeating: 1, count: 64))])
        #expect(
            await failure { _ = try await files(server).download("https://media.test/", to: place, expecting: other) }
                == .contentMismatch)
        #expect(left.isEmpty)
        let both = FileMetadata(
            hashes: [.sha256(of: Self.content), ContentHash(algorithm: "blake2b-256", value: [1, 2])])
        _ = try await files(server).download("https://media.test/", to: place, expecting: both)
        #expect(left == ["file"])
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("a transfer that breaks off is taken up where it was, when the file is still the same")
    func resumes() async throws {
        let tag = Locked("\"one\"")
        let server = try HTTPTestServer { request, number in
            let fields = "ETag: \(tag.withLock { $0 })\r\nAccept-Ranges: bytes\r\n"
            if number == 1 {
                return .cut(
                    Array("HTTP/1.1 200 OK\r\nContent-Length: \(Self.content.count)\r\n\(fields)\r\n".utf8)
                        + Self.content[..<70_000])
            }
            guard let range = request.values("range").first, let start = Int(range.dropFirst(6).dropLast()),
                request.values("if-range") == [tag.withLock { $0 }]
            else { return .response("200 OK", Self.content) }
            return .response(
                "206 Partial Content", Array(Self.content[start...]),
                fields: ["Content-Range: bytes \(start)-\(Self.content.count - 1)/\(Self.content.count)"])
        }
        defer { server.stop() }
        let place = try path()
        let file = try await files(server).download("https://media.test/", to: place)
        #expect(file.hash == .sha256(of: Self.content))
        #expect(server.requests.count == 2)
        #expect(FileManager.default.contents(atPath: place).map(Array.init) == Self.content)
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("T182 a link at the place of a file is not followed, and what is there stays")
    func links() async throws {
        let server = try HTTPTestServer { _, _ in .response("200 OK", [1]) }
        defer { server.stop() }
        let victim = try path("victim")
        let place = try path("place")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: victim))
        try FileManager.default.createSymbolicLink(atPath: place, withDestinationPath: victim)
        #expect(
            await failure { _ = try await files(server).download("https://media.test/", to: place) } == .fileUnusable)
        #expect(FileManager.default.contents(atPath: victim) == Data("mine".utf8))
        try? FileManager.default.removeItem(at: folder)
    }

    @Test("refusals of the server are told, and cancelling ends a transfer")
    func failures() async throws {
        let server = try HTTPTestServer { request, _ in
            request.path == "/silent" ? .silence : .response("404 Not Found", Array("no".utf8))
        }
        defer { server.stop() }
        let files = files(server)
        #expect(await failure { _ = try await files.data(from: "https://media.test/secret?token=1") } == .httpRefused)
        let task = Task { try await files.data(from: "https://media.test/silent") }
        while server.connections < 2 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("no error shows the path or the query of an address, which may be a secret")
    func discreet() async throws {
        let server = try HTTPTestServer { _, _ in .cut(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".utf8)) }
        defer { server.stop() }
        do {
            _ = try await files(server).data(from: "https://media.test/s3cret?t0ken")
            Issue.record("it came")
        } catch {
            let text = "\(error) \(String(reflecting: error))"
            #expect(!text.contains("s3cret") && !text.contains("t0ken"))
        }
    }
}
