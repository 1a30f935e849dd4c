// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ChatAPI
import Foundation
import Glibc

extension WebRoutes {
    static let search: [WebRoute] = [
        WebRoute(.get, "search") { (service, call) throws(ChatAPIError) in
            let query = call.head.query
            guard let text = query["q"], !text.isEmpty, text.utf8.count <= 1000 else {
                throw ChatAPIError(.invalidArgument, "q is what is looked for")
            }
            let limit = try call.number("limit", in: 1...100, default: 20)
            let request = SearchRequest(
                text: text, account: query["account"], conversation: query["conversation"], person: query["from"],
                since: try time(query["since"]), until: try time(query["until"]),
                hasFile: query["has"] == "file" ? true : nil, limit: limit, after: query["before"])
            let hits = try await service.client.search(request)
            return .json(200, HitsReply(hits, limit))
        },
        WebRoute(.get, "conversations/{account}/{conversation}/export") { (service, call) throws(ChatAPIError) in
            guard let format = ExportRequest.Format(rawValue: call.head.query["format"] ?? "json") else {
                throw ChatAPIError(.invalidArgument, "format is json, html or text")
            }
            // The core may be another process, so it writes a file, which is gone as soon as it is open here.
            let folder = "\(service.access.directory)/export-\(randomToken())"
            guard mkdir(folder, 0o700) == 0 else { throw WebAccessFile.failed("make", folder) }
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let request = ExportRequest(
                account: call.account, conversation: call["conversation"], format: format, path: folder + "/export")
            guard let path = try await service.client.export(request).files.first else {
                throw ChatAPIError(.notFound, "there is nothing to export")
            }
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { throw WebAccessFile.failed("open", path) }
            let file = WebFile(descriptor: descriptor)
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw WebAccessFile.failed("look at", path) }
            var reply = WebReply(200, body: .file(file, offset: 0, count: status.st_size))
            let ending = format == .text ? "txt" : format.rawValue
            reply.setType("application/octet-stream", name: "\(call["conversation"]).\(ending)")
            return reply
        },
    ]

    private static func time(_ text: String?) throws(ChatAPIError) -> Timestamp? {
        guard let text else { return nil }
        guard let time = Timestamp(text) else {
            throw ChatAPIError(.invalidArgument, "a time is written as in RFC 3339")
        }
        return time
    }
}

struct HitsReply: Encodable {
    struct Hit: Encodable {
        let message: MessageItem
        /// Pairs of start and length in UTF-16, as scripts count.
        let ranges: [[Int]]
    }

    let hits: [Hit]
    let more: String?

    init(_ found: [SearchHit], _ limit: Int) {
        hits = found.map { Hit(message: $0.message, ranges: Self.ranges($0)) }
        more = found.count == limit ? found.last?.message.id : nil
    }

    /// Where the pieces that were found are in the whole text.
    static func ranges(_ hit: SearchHit) -> [[Int]] {
        let body = hit.message.body
        let joined = hit.excerpt.map(\.text).joined().trimmingCharacters(in: CharacterSet(charactersIn: "…"))
        var place = body.firstRange(of: joined)?.lowerBound ?? body.startIndex
        var ranges: [[Int]] = []
        for piece in hit.excerpt where piece.isMatch && !piece.text.isEmpty {
            guard let range = body[place...].firstRange(of: piece.text) else { continue }
            ranges.append([
                body.utf16.distance(from: body.startIndex, to: range.lowerBound), piece.text.utf16.count,
            ])
            place = range.upperBound
        }
        return ranges
    }
}
