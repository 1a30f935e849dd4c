// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import ChatService
import ChatTesting
import Foundation
import Glibc
import Testing

@Suite struct WebAccessTests {
    private let directory: TemporaryDirectory
    private let clock = Locked(Int64(1_700_000_000_000))

    init() throws { directory = try TemporaryDirectory() }

    private func file() throws -> WebAccessFile {
        let clock = clock
        return try WebAccessFile(profileDirectory: directory.path) {
            Timestamp(milliseconds: clock.withLock { $0 })
        }
    }

    private func pass(_ milliseconds: Int64) { clock.withLock { $0 += milliseconds } }

    private func code(of body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? ChatAPIError)?.code.rawValue
        }
    }

    @Test("A code makes one session, whose cookie is found again by another process")
    func pairing() throws {
        let file = try file()
        let (session, secret) = try file.pair(code: try file.makeCode().code, password: nil, label: "Firefox")
        #expect(try self.file().session(secret: secret)?.id == session.id)
        #expect(try self.file().session(secret: secret + "x") == nil)
        #expect(try file.read().codes.isEmpty)
    }

    @Test("T164 a code that is used, old or wrong pairs nobody, and ten wrong ones close the door for a while")
    func wrongCodes() throws {
        let file = try file()
        let used = try file.makeCode().code
        _ = try file.pair(code: used, password: nil, label: "")
        #expect(code { _ = try file.pair(code: used, password: nil, label: "") } == "forbidden")
        let old = try file.makeCode().code
        pass(WebAccess.codeMilliseconds + 1)
        #expect(code { _ = try file.pair(code: old, password: nil, label: "") } == "forbidden")
        for _ in 0..<WebAccessFile.failureLimit { _ = try? file.pair(code: "AAAAA-AAAAA", password: nil, label: "") }
        let good = try file.makeCode().code
        #expect(code { _ = try file.pair(code: good, password: nil, label: "") } == "too-many")
        pass(WebAccessFile.closedMilliseconds + 1)
        #expect(code { _ = try file.pair(code: good, password: nil, label: "") } == nil)
    }

    @Test("With a password a code alone does not do, and five wrong ones use it up")
    func password() throws {
        let file = try file()
        try file.change { (access) throws(ChatAPIError) in
            access.password = WebAccess.Password("correct horse", iterations: 1000)
        }
        let first = try file.makeCode().code
        #expect(code { _ = try file.pair(code: first, password: nil, label: "") } == "forbidden")
        #expect(code { _ = try file.pair(code: first, password: "correct horse", label: "") } == nil)
        let second = try file.makeCode().code
        for _ in 0..<WebAccessFile.passwordTries { _ = try? file.pair(code: second, password: "wrong", label: "") }
        #expect(code { _ = try file.pair(code: second, password: "correct horse", label: "") } == "forbidden")
    }

    @Test("A session that is not used for half a year is over, and one that is used stays")
    func idle() throws {
        let file = try file()
        let (_, secret) = try file.pair(code: try file.makeCode().code, password: nil, label: "")
        pass(WebAccess.sessionMilliseconds - 1)
        #expect(file.session(secret: secret) != nil)
        pass(WebAccess.sessionMilliseconds - 1)
        #expect(file.session(secret: secret) != nil)
        pass(WebAccess.sessionMilliseconds + 1)
        #expect(file.session(secret: secret) == nil)
    }

    @Test("A process that was stopped while it changed the file keeps nobody waiting for ever, and no request at all")
    func stopped() async throws {
        let file = try file()
        let (_, secret) = try file.pair(code: try file.makeCode().code, password: nil, label: "")
        let lock = open(directory.path + "/web/access.lock", O_RDWR)
        #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
        pass(7_200_000)
        // Within the hour's change it does without it.
        #expect(file.session(secret: secret) != nil)
        #expect(
            code { try file.change(within: .milliseconds(50)) { (access) throws(ChatAPIError) in access.codes = [] } }
                == "busy")
        // More of them than the shared pool has threads.
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount
        let waiting = (0..<count).map { _ in
            Task {
                beginning.yield()
                return try await file.apart { (file) throws(ChatAPIError) in
                    try file.change(within: .seconds(20)) { (access) throws(ChatAPIError) in access.codes = [] }
                }
            }
        }
        var known = 0
        for await _ in begun {
            known += 1
            if known == count { break }
        }
        close(lock)
        for task in waiting { try await task.value }
        #expect(file.session(secret: secret) != nil)
    }

    @Test("A browser's name for itself is one short line")
    func labels() throws {
        let file = try file()
        let label = "a\u{1B}[31m\n" + String(repeating: "x", count: 200)
        let (session, _) = try file.pair(code: try file.makeCode().code, password: nil, label: label)
        #expect(session.label.count == 80 && session.label.hasPrefix("a[31mx"))
    }

    @Test("A file that is damaged lets nobody in, and says so")
    func damaged() throws {
        let file = try file()
        let (_, secret) = try file.pair(code: try file.makeCode().code, password: nil, label: "")
        try Data("{".utf8).write(to: URL(fileURLWithPath: directory.path + "/web/access.json"))
        #expect(file.session(secret: secret) == nil)
        #expect(code { _ = try file.makeCode() } == "storage")
    }

    @Test("A typed code may have other case, blanks, and letters for digits")
    func typed() {
        #expect(WebSecret.normalized(code: "ab o1-il") == "AB0111")
        #expect(
            (0..<50).allSatisfy { _ in
                WebSecret.code().range(of: "^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$", options: .regularExpression)
                    != nil
            })
    }
}
