// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting
import Foundation
import Glibc
import Testing

@Suite struct SocketLocationTests {
    @Test func `the socket is in the runtime directory`() throws {
        let directory = try TemporaryDirectory()
        let location = try SocketLocation(
            profile: "work", environment: ["XDG_RUNTIME_DIR": directory.path + "/"], user: getuid())
        #expect(location.path == directory.path + "/apus/work.sock")
    }

    @Test(arguments: [[:], ["XDG_RUNTIME_DIR": "relative"], ["XDG_RUNTIME_DIR": "/nowhere/at/all"]])
    func `without a usable runtime directory it is in one of our own`(environment: [String: String]) throws {
        let location = try SocketLocation(profile: "default", environment: environment, user: 4321)
        #expect(location.path == "/tmp/apus-4321/default.sock")
    }

    @Test func `the directory is made private, also when it was not`() throws {
        let directory = try TemporaryDirectory()
        let location = try SocketLocation(
            profile: "p", environment: ["XDG_RUNTIME_DIR": directory.path], user: getuid())
        try location.prepareDirectory(user: getuid())
        #expect(TemporaryDirectory.mode(location.directory) == 0o700)
        chmod(location.directory, 0o755)
        try location.prepareDirectory(user: getuid())
        #expect(TemporaryDirectory.mode(location.directory) == 0o700)
    }

    @Test func `a directory of another user is refused`() throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: ChatAPIError.self) {
            try SocketLocation.checkPrivate(directory.path, user: getuid() + 1)
        }
        #expect(error?.description.contains("belongs to another user") == true)
    }

    @Test func `a link in place of the directory is refused`() throws {
        let directory = try TemporaryDirectory()
        let link = directory.path + "/link"
        symlink("/tmp", link)
        let error = #expect(throws: ChatAPIError.self) { try SocketLocation.checkPrivate(link, user: getuid()) }
        #expect(error?.description.contains("is not a directory") == true)
    }

    @Test func `a path that does not fit a socket address is refused with its length`() throws {
        let directory = try TemporaryDirectory()
        let deep = directory.path + "/" + String(repeating: "d", count: 90)
        try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
        let error = #expect(throws: ChatAPIError.self) {
            try SocketLocation(profile: "default", environment: ["XDG_RUNTIME_DIR": deep], user: getuid())
        }
        #expect(error?.description.contains("107 is the most") == true)
    }

    @Test(arguments: ["", ".", "..", "a/b", "-x", ".hidden", "a b", "ä", String(repeating: "x", count: 65), "a\u{0}b"])
    func `a name that is no profile name is refused`(name: String) {
        #expect(throws: ChatAPIError.self) { try SocketLocation.check(profile: name) }
    }

    @Test(arguments: ["default", "Work-2", "a.b_c", String(repeating: "x", count: 64)])
    func `ordinary profile names are taken`(name: String) throws {
        #expect(throws: Never.self) { try SocketLocation.check(profile: name) }
    }
}
