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
    /// A room; nil for a conversation of two.
    var kind: String?
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
                    name: conversation.name, kind: conversation.kind == .room ? conversation.kind.rawValue : nil))
        case .text: return "\(Self.oneLine(title)) <\(conversation.peer)>\n\n"
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
            // However its lines end, none of them looks like another message.
            let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            return "\(time) \(Self.oneLine(name)): \(lines.map { Self.plain($0) }.joined(separator: "\n    "))\n"
        case .html:
            let kind = message.direction == .outgoing ? "own" : "other"
            let quote = message.reply?.body.map { "<i>\(Self.escaped($0))</i><br>" } ?? ""
            return
                "<p class=\"\(kind)\"><time>\(time)</time> <b><bdi>\(Self.escaped(name))</bdi></b><br>\(quote)\(Self.escaped(text))</p>\n"
        }
    }

    var tail: String { format == .html ? "</body></html>\n" : "" }

    private func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }

    /// A name on one line, which turns nothing round that follows it.
    private static func oneLine(_ text: String) -> String {
        let turning: Set<Unicode.Scalar> = [
            "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}",
        ]
        let words = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return plain(String(String.UnicodeScalarView(words.unicodeScalars.filter { !turning.contains($0) }))[...])
    }

    /// A line without what a terminal takes for an order.
    private static func plain(_ line: Substring) -> String {
        var result = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control && scalar != "\t"
            result.append(isControl ? "\u{FFFD}" : scalar)
        }
        return String(result)
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

/// An exported conversation as it is read again.
struct ExportedConversation {
    /// Whose it was.
    let account: JID?
    let peer: JID
    let isRoom: Bool
    var messages: [ExportedMessage]
}

/// Reads what ``ConversationWriter`` wrote as JSON.
enum ConversationReader {
    static func read(_ text: String) throws(ChatError) -> ExportedConversation {
        // By bytes: a text may hold other characters at which lines end, and other programs end lines in two.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
            Data(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }[...]
        lines.removeAll { $0.isEmpty }
        let decoder = JSONDecoder()
        guard let first = lines.popFirst(), let header = try? decoder.decode(ExportHeader.self, from: first),
            header.format == ExportHeader.format, let peer = try? JID(header.conversation).bare
        else { throw ChatError(.invalidExport, "this is no exported conversation") }
        guard header.version <= ExportedMessage.version else {
            throw ChatError(.invalidExport, "the export was written by a newer version; update this program")
        }
        var export = ExportedConversation(
            account: try? JID(header.account).bare, peer: peer,
            isRoom: header.kind == Conversation.Kind.room.rawValue, messages: [])
        for (number, line) in lines.enumerated() {
            guard let message = try? decoder.decode(ExportedMessage.self, from: line),
                (try? JID(message.sender)) != nil
            else { throw ChatError(.invalidExport, "line \(number + 2) of the export is no message") }
            export.messages.append(message)
        }
        return export
    }
}
