// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import XMPP

/// The first line of an export.
struct ExportHeader: Codable, Hashable {
    static let format = "apus.conversation-export"

    var format = ExportHeader.format
    var version = ExportedMessage.version
    var account: String
    var conversation: String
    var name: String?
}

/// A conversation as text in one of the formats.
struct ConversationWriter {
    let format: ExportFormat

    func head(_ conversation: Conversation) -> String {
        let title = conversation.name ?? conversation.peer.description
        switch format {
        case .json:
            return json(
                ExportHeader(
                    account: conversation.account.description, conversation: conversation.peer.description,
                    name: conversation.name))
        case .text: return "\(title) <\(conversation.peer)>\n\n"
        case .html:
            return """
                <!doctype html><html><head><meta charset="utf-8">
                <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
                <title>\(Self.escaped(title))</title>
                <style>body{font:16px sans-serif;max-width:45em;margin:auto}p{margin:.4em 0;white-space:pre-wrap;unicode-bidi:plaintext}
                time{color:#666;font-size:80%}.own b{color:#06c}i{color:#666}</style></head><body>
                <h1>\(Self.escaped(title))</h1>

                """
        }
    }

    func line(_ message: ChatMessage) -> String {
        let name = message.direction == .outgoing ? "me" : message.senderName ?? message.sender.bare.description
        let time = DateTime(seconds: Int64(message.sent.timeIntervalSince1970), nanoseconds: 0).description
        // A file is not part of an export; where it was is.
        let parts = [message.body] + message.files.map { $0.url ?? $0.name }
        let text =
            message.retracted == nil ? parts.filter { !$0.isEmpty }.joined(separator: "\n") : "(taken back)"
        switch format {
        case .json: return json(ExportedMessage(message))
        case .text:
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n    ")
            return "\(time) \(name): \(lines)\n"
        case .html:
            let kind = message.direction == .outgoing ? "own" : "other"
            let quote = message.reply?.body.map { "<i>\(Self.escaped($0))</i><br>" } ?? ""
            return
                "<p class=\"\(kind)\"><time>\(time)</time> <b>\(Self.escaped(name))</b><br>\(quote)\(Self.escaped(text))</p>\n"
        }
    }

    var tail: String { format == .html ? "</body></html>\n" : "" }

    private func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }

    /// The text as text, whatever is in it.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

/// Reads what ``ConversationWriter`` wrote as JSON.
enum ConversationReader {
    static func read(_ text: String) throws(ChatError) -> (peer: JID, messages: [ExportedMessage]) {
        var lines = text.split(separator: "\n")[...]
        let decoder = JSONDecoder()
        guard let first = lines.popFirst(),
            let header = try? decoder.decode(ExportHeader.self, from: Data(first.utf8)),
            header.format == ExportHeader.format, let peer = try? JID(header.conversation).bare
        else { throw ChatError(.invalidExport, "this is no exported conversation") }
        guard header.version <= ExportedMessage.version else {
            throw ChatError(.invalidExport, "the export was written by a newer version; update this program")
        }
        var messages: [ExportedMessage] = []
        for (number, line) in lines.enumerated() {
            guard let message = try? decoder.decode(ExportedMessage.self, from: Data(line.utf8)),
                (try? JID(message.sender)) != nil
            else { throw ChatError(.invalidExport, "line \(number + 2) of the export is no message") }
            messages.append(message)
        }
        return (peer, messages)
    }
}
