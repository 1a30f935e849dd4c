// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation
import Glibc

extension WebRoutes {
    static let files: [WebRoute] = [
        // A small picture is shown without being asked for, so nobody is called for it (T149); the file itself is fetched
        // when somebody opens it.
        WebRoute(.get, "files/{message}/{index}") { (service, call) throws(ChatAPIError) in
            let isSmall = try call.isSmall()
            let request = FetchFileRequest(
                message: call["message"], index: try call.fileIndex(), isLocalOnly: isSmall)
            guard let file = try await service.client.fetchFile(request) else { throw notHere }
            guard isSmall else {
                return try .file(
                    file.path, type: file.type, name: file.name, saves: try call.flag("download"), call.head)
            }
            guard let path = file.thumbnail else { throw notHere }
            return try .file(path, type: FileKind.type(atPath: path), name: nil, saves: false, call.head)
        },
        WebRoute(.post, "messages/{message}/files", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            try await service.client.retryFile(message: call["message"])
            return .done
        },
        WebRoute(.delete, "messages/{message}/files", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            try await service.client.cancelFile(message: call["message"])
            return .done
        },
        WebRoute(.get, "conversations/{account}/{conversation}/media") { (service, call) throws(ChatAPIError) in
            .list("messages", try await media(service, call))
        },
        WebRoute(.get, "accounts/{account}/media") { (service, call) throws(ChatAPIError) in
            .json(200, try await service.client.media(MediaRequest(account: call.account)))
        },
        WebRoute(.patch, "accounts/{account}/media", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            let body = try call.decode(MediaBody.self)
            var settings = try await service.client.media(MediaRequest(account: call.account))
            body.apply(to: &settings)
            return .json(200, try await service.client.media(MediaRequest(account: call.account, settings: settings)))
        },
    ]

    /// What bodies are read as.
    static var fileBodies: [any Decodable.Type] { [MediaBody.self] }

    private static let notHere = ChatAPIError(.notFound, "the file is not here")

    /// Messages with files, the newest first; `before` names the last one of the page before.
    private static func media(_ service: WebService, _ call: WebCall) async throws(ChatAPIError) -> [MessageItem] {
        let last = call.head.query["before"]
        var place: String?
        if let last { place = try await service.client.details(message: last).message.files?.last?.id }
        guard last == nil || place != nil else { throw ChatAPIError(.notFound, "that message has no file") }
        let request = FilesRequest(
            conversation: call.conversation, before: place, limit: try call.number("limit", in: 1...200, default: 50))
        var names: [String] = []
        for file in try await service.client.files(request) where file.message != last && file.message != names.last {
            names.append(file.message)
        }
        var messages: [MessageItem] = []
        for name in names { messages.append(try await service.client.details(message: name).message) }
        return messages
    }

    /// Files in one request to send.
    static let attachmentLimit = 20

    /// Sends files that were uploaded, each as a message; the first one has the text and the request's own key.
    ///
    /// The core keeps the keys, and knows them also when the files are gone: a repetition sends what is missing.
    static func send(
        _ uploads: [String], text: String, replyTo: String?, keepsOriginal: Bool, _ service: WebService, _ call: WebCall
    ) async throws(ChatAPIError) -> SendResult {
        guard uploads.count <= attachmentLimit, uploads.allSatisfy(WebUploads.isName) else {
            throw ChatAPIError(.invalidArgument, "attachments names at most \(attachmentLimit) uploads")
        }
        var first: SendResult?
        for (index, id) in uploads.enumerated() {
            let key = call.key ?? ""
            let result = try await service.client.sendFile(
                SendFileRequest(
                    account: call.account, conversation: call["conversation"], path: service.uploads.path(of: id),
                    takesOver: true, name: service.uploads[id]?.name, caption: index == 0 && !text.isEmpty ? text : nil,
                    key: index == 0 ? key : "\(key)~\(index)", replyTo: index == 0 ? replyTo : nil,
                    keepsOriginal: keepsOriginal))
            service.uploads.remove(id)
            first = first ?? result
        }
        guard let first else { throw ChatAPIError(.invalidArgument, "attachments names no upload") }
        return first
    }
}

extension WebCall {
    /// Whether the small picture of a file is asked for.
    fileprivate func isSmall() throws(ChatAPIError) -> Bool {
        switch head.query["size"] {
        case nil, "full": false
        case "thumbnail": true
        default: throw ChatAPIError(.invalidArgument, "size is thumbnail or full")
        }
    }

    fileprivate func fileIndex() throws(ChatAPIError) -> Int {
        guard let index = Int(self["index"]), (0...1000).contains(index) else {
            throw ChatAPIError(.notFound, "there is no such file")
        }
        return index
    }
}

extension WebReply {
    /// A file of this machine that somebody else made: whole or in parts, shown only when it is harmless.
    static func file(
        _ path: String, type: String, name: String?, saves: Bool, _ head: WebHead
    ) throws(ChatAPIError) -> WebReply {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw ChatAPIError(.notFound, "the file is gone") }
        let file = WebFile(descriptor: descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ChatAPIError(.notFound, "the file is gone")
        }
        let tag = "\"\(status.st_ino)-\(status.st_size)-\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)\""
        let isWanted = head.header("if-range").map { $0 == tag } ?? true
        var reply: WebReply
        if names(tag, in: head.header("if-none-match")) {
            reply = WebReply(304)
        } else {
            switch ByteRange(isWanted ? head.header("range") : nil, size: status.st_size) {
            case .whole: reply = WebReply(200, body: .file(file, offset: 0, count: status.st_size))
            case .part(let part):
                reply = WebReply(206, body: .file(file, offset: part.lowerBound, count: part.count))
                reply.set("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(status.st_size)")
            case .unsatisfiable:
                reply = WebReply(416)
                reply.set("Content-Range", "bytes */\(status.st_size)")
            }
            reply.setType(saves ? "application/octet-stream" : type, name: name)
        }
        reply.set("ETag", tag)
        reply.set("Accept-Ranges", "bytes")
        // Asked for again each time, as pictures are; signing out clears what was kept.
        reply.set("Cache-Control", "private, no-cache")
        return reply
    }
}

/// What is absent stays; an empty server goes.
private struct MediaBody: Decodable {
    var hosts: [String]?
    var server: String?
    var prefersServer: Bool?
    var sendsBodyType: Bool?
    var fetchesUpTo: Int?

    private enum CodingKeys: String, CodingKey {
        case hosts, server
        case prefersServer = "prefers_server"
        case sendsBodyType = "body_type"
        case fetchesUpTo = "fetches_up_to"
    }

    func apply(to settings: inout MediaSettings) {
        if let hosts { settings.hosts = hosts }
        if let server { settings.server = server.isEmpty ? nil : server }
        if let prefersServer { settings.prefersServer = prefersServer }
        if let sendsBodyType { settings.sendsBodyType = sendsBodyType }
        if let fetchesUpTo { settings.fetchesUpTo = fetchesUpTo }
    }
}
