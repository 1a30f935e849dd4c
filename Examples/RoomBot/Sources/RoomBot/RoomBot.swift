// SPDX-License-Identifier: Apache-2.0
import Foundation
import XMPP

/// Keeps order in a room: `RoomBot ADDRESS ROOM NICKNAME [HOST PORT CA-FILE] < password`.
///
/// It greets whoever comes, and obeys `!who`, `!nick NAME`, `!kick NAME`, `!subject TEXT` and `!remove`, which takes the message
/// before it away. It comes back by itself after a loss, and ends when it is put out.
@main
struct RoomBot {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 3 else { return print("RoomBot ADDRESS ROOM NICKNAME [HOST PORT CA-FILE] < password") }
        do { try await run(arguments) } catch {
            print(error)
            exit(1)
        }
    }

    static func run(_ arguments: [String]) async throws {
        var account = try Account(arguments[1], password: readLine() ?? "")
        if arguments.count > 6, let port = UInt16(arguments[5]) {
            account.server = ServerAddress(host: arguments[4], port: port)
            account.trust.authorityFiles = [arguments[6]]
        }
        let session = XMPPSession(account: account)
        try await session.connect()
        let room = try await session.rooms.join(JID(arguments[2]), as: arguments[3], history: .none)
        let isAlone = room.occupantCount == 1
        report("joined as \(room.nickname ?? "") with \(room.occupantCount - 1) others\(isAlone ? ", alone" : "")")
        var last: RoomMessage?
        for await event in room.events() {
            switch event {
            case .joined(let occupant):
                try await say("Welcome, \(occupant.nickname)", in: room)
            case .message(let message) where message.origin == .live:
                if let text = message.body, text.hasPrefix("!") {
                    await obey(text.split(separator: " ", maxSplits: 1).map(String.init), last, in: room)
                } else {
                    last = message
                }
            case .left(let occupant, let departure): report("\(occupant.nickname) is gone: \(departure)")
            case .renamed(let old, let occupant): report("\(old) is \(occupant.nickname) now")
            case .moderated(let moderation): report("removed: \(moderation.reason ?? "")")
            case .subject(let subject): report("subject: \(subject.text)")
            case .state(let state): report("\(state)")
            default: break
            }
        }
        await session.disconnect()
    }

    /// Commands that do not work are answered with the reason.
    static func obey(_ command: [String], _ last: RoomMessage?, in room: Room) async {
        let argument = command.count > 1 ? command[1] : ""
        do {
            switch command[0] {
            case "!who": try await say(room.occupants.map(\.nickname).sorted().joined(separator: ", "), in: room)
            case "!nick": try await room.changeNickname(to: argument)
            case "!kick": try await room.kick(argument, reason: "as you wish")
            case "!subject": try await room.setSubject(argument)
            case "!remove": if let id = last?.stanzaID { try await room.moderate(id, reason: "not here") }
            default: try await say("What is \(command[0])?", in: room)
            }
        } catch { try? await say("\(error)", in: room) }
    }

    static func say(_ text: String, in room: Room) async throws { try await room.send(text) }

    static func report(_ text: String) { print(text) }
}
