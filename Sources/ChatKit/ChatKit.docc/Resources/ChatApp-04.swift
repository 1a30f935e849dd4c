// SPDX-License-Identifier: Apache-2.0
import ChatKit
import Foundation
import XMPP

@main
struct ChatApp {
    static func main() async {
        do { try await run() } catch {
            print(error)
            exit(1)
        }
    }

    static func run() async throws {
        // ChatApp you@example.org friend@example.org [HOST PORT AUTHORITY-FILE]
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else { return print("ChatApp YOU FRIEND") }
        let me = try JID(arguments[1])
        let friend = try JID(arguments[2])

        let home = FileManager.default.homeDirectoryForCurrentUser.path
        let folder = ProcessInfo.processInfo.environment["CHAT_PROFILE"] ?? "\(home)/.first-chat-app"
        let core = try await ChatCore.open(directory: folder)

        if try await core.accounts().isEmpty {
            print("Password:")
            var settings = AccountSettings()
            if arguments.count > 5 {
                settings.host = arguments[3]
                settings.port = UInt16(arguments[4])
                settings.authorityFiles = [arguments[5]]
            }
            try await core.addAccount(me, password: readLine() ?? "", settings: settings)
        }
        try await core.connectAll()
        print("\(me) is on the way, to write to \(friend)")

        let contacts = Task {
            for try await change in core.contactUpdates() {
                for contact in change.inserted + change.updated {
                    print("* \(contact.displayName) is \(contact.presence.availability.rawValue)")
                }
            }
        }
        try await Task.sleep(for: .seconds(600))

        contacts.cancel()
        await core.close()
    }
}
