// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("MediaFolder")
struct MediaFolderTests {
    @Test("T182 a copy is private, under a name of chance, with the hash of its content")
    func copies() throws {
        let folder = try TemporaryFolder()
        let media = MediaFolder(path: folder.file("media"))
        let source = folder.file("été.txt")
        try Data("hello".utf8).write(to: URL(fileURLWithPath: source))
        let stored = try media.copy(source, limit: 100)
        #expect(stored.size == 5 && stored.prefix == Array("hello".utf8))
        #expect(ContentHash(algorithm: "sha-256", value: stored.sha256) == .sha256(of: Array("hello".utf8)))
        #expect(try TemporaryFolder.mode(of: media.path(of: stored.name)) == 0o600)
        #expect(try TemporaryFolder.mode(of: media.path) == 0o700)
        #expect(media.has(stored.name) && media.names() == [stored.name])
        media.remove("../été.txt")
        #expect(FileManager.default.fileExists(atPath: source))
        media.remove(stored.name)
        #expect(media.names().isEmpty)
    }

    @Test("folders, pipes, what is missing, empty or too large is refused, and nothing stays")
    func refusals() throws {
        let folder = try TemporaryFolder()
        let media = MediaFolder(path: folder.file("media"))
        let pipe = folder.file("pipe")
        mkfifo(pipe, 0o600)
        let (empty, large) = (folder.file("empty"), folder.file("large"))
        try Data().write(to: URL(fileURLWithPath: empty))
        try Data(count: 200).write(to: URL(fileURLWithPath: large))
        for path in [folder.path, pipe, folder.file("none"), empty] {
            #expect(throws: ChatError.self) { try media.copy(path, limit: 100) }
        }
        let error = #expect(throws: ChatError.self) { try media.copy(large, limit: 100) }
        #expect(error?.code == .fileTooLarge)
        #expect(media.names().isEmpty)
    }

    @Test("T182 a folder that is a link is not used")
    func link() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("media"), withDestinationPath: NSTemporaryDirectory())
        let source = folder.file("a")
        try Data("a".utf8).write(to: URL(fileURLWithPath: source))
        #expect(throws: ChatError.self) { try MediaFolder(path: folder.file("media")).copy(source, limit: 100) }
    }
}
