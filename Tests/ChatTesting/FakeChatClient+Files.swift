// SPDX-License-Identifier: Apache-2.0
import ApusTransport
package import ChatAPI

extension FakeChatClient {
    package func sendFile(_ request: SendFileRequest) async throws(ChatAPIError) -> SendResult {
        try note("sendFile \(request.path)")
        var result = try await send(
            SendRequest(
                account: request.account, conversation: request.conversation, body: request.caption ?? "",
                key: request.key, replyTo: request.replyTo))
        result.message.files = [
            FileItem(id: "1", message: result.message.id, index: 0, name: request.name ?? "file", state: .waiting)
        ]
        return result
    }

    package func cancelFile(message: String) async throws(ChatAPIError) { try note("cancelFile \(message)") }

    package func retryFile(message: String) async throws(ChatAPIError) { try note("retryFile \(message)") }

    package func fetchFile(_ request: FetchFileRequest) async throws(ChatAPIError) -> LocalFileItem? {
        try note("fetchFile \(request.message) \(request.index)\(request.isLocalOnly ? " local" : "")")
        let local = state.withLock { $0.localFile }
        if let local { return local }
        return request.isLocalOnly ? nil : LocalFileItem(path: "/dev/null", name: "file", type: "image/png", size: 0)
    }

    package func files(_ request: FilesRequest) async throws(ChatAPIError) -> [FileItem] {
        try note("files \(request.conversation.conversation)")
        return state.withLock { $0.history.flatMap { $0.files ?? [] } }
    }

    package func media(_ request: MediaRequest) async throws(ChatAPIError) -> MediaSettings {
        try note("media \(request.account ?? "")")
        return request.settings ?? MediaSettings()
    }

    package func notifications(_ request: NotificationsRequest) async throws(ChatAPIError) -> NotificationSettings {
        try note("notifications")
        try request.settings?.check()
        return state.withLock { state in
            if let wanted = request.settings { state.notifications = wanted }
            return state.notifications
        }
    }
}
