// SPDX-License-Identifier: Apache-2.0
import Foundation
import XMPP

/// Sends and takes files; the password is the first line of the input.
///
///     FileSender ADDRESS send PEER FILE [HOST PORT CA-FILE]
///     FileSender ADDRESS receive - FOLDER [HOST PORT CA-FILE]
///
/// A file for an account is uploaded and sent as a link; one for a program, by its full address, goes there directly.
@main
struct FileSender {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 4, let password = readLine() else {
            print("FileSender ADDRESS send PEER FILE | receive - FOLDER [HOST PORT CA-FILE] < password")
            exit(2)
        }
        var account = try Account(arguments[1], password: password)
        var access = HTTPAccess()
        if arguments.count > 7, let port = UInt16(arguments[6]) {
            account.server = ServerAddress(host: arguments[5], port: port)
            account.trust.authorityFiles = [arguments[7]]
            // A server that is named by hand may be on this machine.
            access.trustedHosts = [arguments[5], account.jid.domain]
        }
        var configuration = SessionConfiguration()
        configuration.modules.append(FileTransferModule())
        let session = XMPPSession(account: account, configuration: configuration)
        let offers = session.fileOffers()
        do {
            try await session.connect()
            if arguments[2] == "send" {
                try await send(arguments[4], to: JID(arguments[3]), session, access)
            } else {
                print("ready \(await session.jid?.description ?? "")")
                try await receive(offers, into: arguments[4])
            }
        } catch {
            print(error)
            await session.disconnect()
            exit(1)
        }
        await session.disconnect()
    }

    static func send(_ path: String, to peer: JID, _ session: XMPPSession, _ access: HTTPAccess) async throws {
        let show: HTTPFiles.Progress = { print("\(Int(($0.fraction ?? 0) * 100)) %") }
        guard peer.resource == nil else {
            try await session.sendFile(.file(path), to: peer, progress: show)
            return print("sent")
        }
        let file = try await session.upload(.file(path), access: access, progress: show)
        try await session.send(.file(file.shared, to: peer))
        print("sent \(file.url)")
    }

    /// Takes one file.
    static func receive(_ offers: Subscription<FileOffer>, into folder: String) async throws {
        for try await offer in offers {
            let name = offer.metadata.safeName ?? "file"
            let file = try await offer.accept(to: "\(folder)/\(name)")
            return print("received \(name) (\(file.byteCount) bytes) from \(offer.from)")
        }
    }
}
