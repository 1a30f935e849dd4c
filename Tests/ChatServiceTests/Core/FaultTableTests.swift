// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatKit
import Foundation
import Testing
import XMPP

@testable import ChatService

/// One fault is one kind of failure, whichever command meets it.
@Suite struct FaultTableTests {
    /// The codes that the libraries declare, read from their sources.
    private static func declared(_ type: String, in folder: String) throws -> Set<String> {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/\(folder)").standardizedFileURL
        var found: Set<String> = []
        for case let file as URL in FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil) ?? .init()
        where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for part in text.components(separatedBy: "extension \(type).Code {").dropFirst() {
                let body = part.components(separatedBy: "\n}")[0]
                for match in body.matches(of: /static let (\w+) = Self\(rawValue: "(\w+)"\)/) {
                    found.insert(String(match.2))
                }
            }
        }
        return found
    }

    @Test func `every code of the chat core has its place`() throws {
        let declared = try Self.declared("ChatError", in: "ChatKit")
        #expect(declared.count > 30 && declared == Set(ChatAPIError.Code.ofCore.keys.map(\.rawValue)))
    }

    @Test func `every code of the protocol library has its place`() throws {
        let declared = try Self.declared("XMPPError", in: "XMPP")
        #expect(declared.count > 50 && declared == Set(ChatAPIError.Code.ofProtocol.keys.map(\.rawValue)))
    }

    private static let same: [(ChatAPIError.Code, [ChatError])] = [
        (
            ChatAPIError.Code.notFound,
            [
                ChatError(.fileUnusable, "x"), ChatError(XMPPError(.fileUnusable, "x")), ChatError(.unknownRoom, "x"),
                ChatError(XMPPError(.roomRefused, "x", underlying: RoomRefusal.notFound)),
                ChatError(XMPPError(.requestFailed, "x", underlying: StanzaError(.itemNotFound))),
            ]
        ),
        (.tooLarge, [ChatError(.fileTooLarge, "x"), ChatError(XMPPError(.fileTooLarge, "x"))]),
        (
            .network,
            [
                ChatError(.notConnected, "x"), ChatError(XMPPError(.connectionFailed, "x")),
                ChatError(XMPPError(.requestFailed, "x", underlying: StanzaError(.remoteServerNotFound))),
                ChatError(XMPPError(.roomRefused, "x", underlying: RoomRefusal.unreachable)),
            ]
        ),
        (
            .refused,
            [
                ChatError(.notInRoom, "x"), ChatError(XMPPError(.notInRoom, "x")),
                ChatError(XMPPError(.requestFailed, "x", underlying: StanzaError(.forbidden))),
                ChatError(XMPPError(.roomRefused, "x", underlying: RoomRefusal.banned)),
            ]
        ),
        (.authentication, [ChatError(.passwordNeeded, "x"), ChatError(XMPPError(.passwordNeeded, "x"))]),
    ]

    @Test(arguments: same)
    func `the same fault is the same kind, whoever notices it`(code: ChatAPIError.Code, errors: [ChatError]) {
        for error in errors { #expect(ChatAPIError(error).code == code, "\(error.debugDescription)") }
    }

    private static let messages: [(String, ChatAPIError.Code)] = [
        ("remote-server-not-found", ChatAPIError.Code.network), ("remote-server-timeout", .timeout),
        ("service-unavailable", .refused), ("item-not-found", .notFound), ("file-too-large", .tooLarge),
        ("unsendable", .invalidArgument), ("from-the-future", .refused),
    ]

    @Test(arguments: messages)
    func `a message that did not get through fails as the call itself would`(reason: String, code: ChatAPIError.Code) {
        #expect(ChatAPIError(MessageFailure(.init(rawValue: reason))).code == code)
    }
}
