// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP

@testable import ChatKit

@Suite("SecretStore")
struct SecretStoreTests {
    private let keys = SCRAMKeys(
        hashName: "SHA-1", salt: [0, 255], iterations: 10_000, clientKey: [7, 8], serverKey: [9])

    @Test("T180 keys come back as they were, from a file of mode 0600; the password is left out")
    func roundTrip() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("secrets.json")
        let ann = try JID("ann@example.org")
        var secrets = try SecretStore(path: path)
        #expect(secrets.credentials(of: ann) == nil)
        try secrets.set(Credentials(password: "pencil", keys: keys), of: ann, keepsPassword: false)
        #expect(try TemporaryFolder.mode(of: path) == 0o600)
        #expect(try SecretStore(path: path).credentials(of: ann) == Credentials(password: nil, keys: keys))
        #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("pencil"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["secrets.json"])
    }

    @Test("a removed account leaves nothing in the file")
    func remove() throws {
        let folder = try TemporaryFolder()
        let ann = try JID("ann@example.org")
        var secrets = try SecretStore(path: folder.file("s"))
        try secrets.set(Credentials(password: "pencil"), of: ann, keepsPassword: true)
        try secrets.remove(ann)
        #expect(try SecretStore(path: folder.file("s")).credentials(of: ann) == nil)
        #expect(try !String(contentsOfFile: folder.file("s"), encoding: .utf8).contains("pencil"))
    }

    @Test("a damaged file is refused without quoting it")
    func damaged() throws {
        let folder = try TemporaryFolder()
        try Data("{\"accounts\": hunter2".utf8).write(to: URL(fileURLWithPath: folder.file("s")))
        let error = #expect(throws: ChatError.self) { try SecretStore(path: folder.file("s")) }
        #expect(error?.code == .storageFailed)
        #expect(error.map { !$0.debugDescription.contains("hunter2") } == true)
    }

    @Test("T182 a symbolic link in the place of the file is not followed")
    func symbolicLink() throws {
        let folder = try TemporaryFolder()
        try Data("{}".utf8).write(to: URL(fileURLWithPath: folder.file("target")))
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("s"), withDestinationPath: folder.file("target"))
        #expect(throws: ChatError.self) { try SecretStore(path: folder.file("s")) }
    }
}

@Suite("SecretStore and what logins taught")
struct SecretStoreMemoryTests {
    private let keys = SCRAMKeys(hashName: "SHA-1", salt: [0], iterations: 4096, clientKey: [7], serverKey: [9])
    private let ann: JID
    private let folder = Result { try TemporaryFolder() }

    init() throws { ann = try JID("ann@example.org") }

    private func memory() -> LoginMemory {
        var memory = LoginMemory()
        memory.userAgentID = "agent"
        memory.token = FASTToken(mechanism: "HT-SHA-256-EXPR", secret: "t0ken")
        return memory
    }

    @Test("T180 a token is kept with the keys, in the file of mode 0600, and goes with them")
    func token() throws {
        let path = try folder.get().file("secrets.json")
        var secrets = try SecretStore(path: path)
        #expect(secrets.memory(of: ann) == LoginMemory())
        try secrets.set(Credentials(password: nil, keys: keys), of: ann, keepsPassword: false)
        try secrets.set(memory(), of: ann)
        #expect(try TemporaryFolder.mode(of: path) == 0o600)
        #expect(try SecretStore(path: path).memory(of: ann).token?.secret == "t0ken")
        // Newer keys leave the memory as it is.
        try secrets.set(Credentials(password: nil, keys: keys), of: ann, keepsPassword: false)
        #expect(secrets.memory(of: ann).token?.secret == "t0ken")
        try secrets.forgetCredentials(of: ann)
        let left = try SecretStore(path: path)
        #expect(left.credentials(of: ann) == nil)
        #expect(left.memory(of: ann).userAgentID == "agent")
        #expect(try !String(contentsOfFile: path, encoding: .utf8).contains("t0ken"))
        try secrets.remove(ann)
        #expect(try SecretStore(path: path).memory(of: ann) == LoginMemory())
    }
}
