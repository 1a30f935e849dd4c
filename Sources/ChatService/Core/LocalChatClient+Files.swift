// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import ChatKit
import Glibc
import XMPP

extension LocalChatClient {
    package nonisolated func sendFile(_ request: SendFileRequest) async throws(ChatAPIError) -> SendResult {
        guard request.path.hasPrefix("/") else { throw ChatAPIError(.invalidArgument, "a file needs a whole path") }
        let (account, peer) = try await place(
            ConversationID(account: request.account, conversation: request.conversation))
        var options = FileOptions()
        options.name = request.name
        options.text = request.caption ?? ""
        options.idempotencyKey = request.key
        options.original = try request.replyTo.map { (text) throws(ChatAPIError) in try Self.message(text) }
        options.keepsOriginal = request.keepsOriginal
        let wanted = options
        let result = try await asking { () async throws(ChatError) in
            let receipt = try await core.sendFile(request.path, to: peer, account: account, options: wanted)
            return SendResult(message: MessageItem(receipt.message), isRepeated: receipt.isRepeated)
        }
        if request.takesOver { unlink(request.path) }
        return result
    }

    package nonisolated func cancelFile(message: String) async throws(ChatAPIError) {
        let id = try Self.message(message)
        try await asking { () async throws(ChatError) in try await core.cancelFile(id) }
    }

    package nonisolated func retryFile(message: String) async throws(ChatAPIError) {
        let id = try Self.message(message)
        try await asking { () async throws(ChatError) in try await core.retry(id) }
    }

    package nonisolated func fetchFile(_ request: FetchFileRequest) async throws(ChatAPIError) -> LocalFileItem? {
        let id = try Self.message(request.message)
        return try await asking { () async throws(ChatError) in
            let file =
                request.isLocalOnly
                ? try await core.localFile(id, index: request.index)
                : try await core.fetchFile(id, index: request.index)
            return file.map {
                LocalFileItem(
                    path: $0.path, name: $0.name, type: $0.mediaType, size: $0.byteCount, thumbnail: $0.thumbnail)
            }
        }
    }

    package nonisolated func files(_ request: FilesRequest) async throws(ChatAPIError) -> [FileItem] {
        let id = try await existing(request.conversation)
        var before: MessageFile.ID?
        if let text = request.before {
            guard let number = Int64(text) else { throw ChatAPIError(.notFound, "there is no file \(text)") }
            before = MessageFile.ID(rawValue: number)
        }
        let kinds = Set((request.kinds ?? []).compactMap { MessageFile.Kind(rawValue: $0.rawValue) })
        let limit = min(max(request.limit, 1), ChatLimits.historyPage)
        let place = before
        return try await asking { () async throws(ChatError) in
            try await core.files(in: id, kinds: kinds, before: place, limit: limit).map { FileItem($0) }
        }
    }

    package nonisolated func media(_ request: MediaRequest) async throws(ChatAPIError) -> MediaSettings {
        let account = try await account(request.account)
        var settings = try await asking { () async throws(ChatError) in try await core.account(account).settings }
        guard let wanted = request.settings else { return MediaSettings(settings) }
        try wanted.apply(to: &settings)
        let changed = settings
        return try await asking { () async throws(ChatError) in
            try await core.setSettings(changed, of: account)
            return MediaSettings(changed)
        }
    }
}

extension FileItem {
    init(_ file: MessageFile) {
        let (state, failure) = State.reading(file.state)
        self.init(
            id: file.id.description, message: file.message.description, index: file.index, name: file.name,
            type: file.mediaType, kind: Kind(rawValue: file.kind.rawValue) ?? .other, isProven: file.isProven,
            size: file.byteCount, width: file.width, height: file.height,
            durationMilliseconds: file.duration.map {
                $0.components.seconds &* 1000 &+ $0.components.attoseconds / 1_000_000_000_000_000
            }, preview: file.preview, url: file.url, host: file.host, hasThumbnail: file.hasThumbnail, state: state,
            failure: failure)
    }
}

extension FileItem.State {
    static func reading(_ state: MessageFile.State) -> (FileItem.State, ChatAPIError?) {
        switch state {
        case .waiting: (.waiting, nil)
        case .uploading: (.uploading, nil)
        case .sent: (.sent, nil)
        case .failed(let failure): (.failed, ChatAPIError(failure))
        case .cancelled: (.cancelled, nil)
        case .remote: (.remote, nil)
        case .wanted: (.wanted, nil)
        case .here: (.here, nil)
        case .refused(let failure): (.refused, ChatAPIError(failure))
        }
    }
}

extension FileProgress {
    init(_ transfer: FileTransfer, isOver: Bool) {
        self.init(
            account: transfer.account.description, conversation: transfer.peer.description,
            file: transfer.id.description, message: transfer.message.description,
            direction: transfer.direction == .upload ? .upload : .download, completed: transfer.completed,
            total: transfer.total, isOver: isOver)
    }
}

extension MediaSettings {
    init(_ settings: AccountSettings) {
        self.init(
            hosts: settings.mediaHosts, server: settings.mediaServer, prefersServer: settings.prefersMediaServer,
            sendsBodyType: settings.sendsBodyType, fetchesUpTo: settings.fetchesFilesUpTo)
    }

    func apply(to settings: inout AccountSettings) throws(ChatAPIError) {
        if let server, MediaServer(baseURL: server) == nil {
            throw ChatAPIError(
                .invalidArgument, "\"\(server)\" is no address of a media server",
                hint: "write it as http://192.168.1.5:8080/files")
        }
        for host in hosts where host.isEmpty || host.contains(where: { "/@ ".contains($0) }) {
            throw ChatAPIError(.invalidArgument, "\"\(host)\" is no host", hint: "write only its name or address")
        }
        settings.mediaHosts = hosts
        settings.mediaServer = server
        settings.prefersMediaServer = prefersServer
        settings.sendsBodyType = sendsBodyType
        settings.fetchesFilesUpTo = max(0, fetchesUpTo)
    }
}
