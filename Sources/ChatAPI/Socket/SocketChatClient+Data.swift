// SPDX-License-Identifier: Apache-2.0

extension SocketChatClient {
    package func export(_ request: ExportRequest) async throws(ChatAPIError) -> ExportResult {
        try await call(ChatMethods.Export(request))
    }

    package func importConversation(_ request: ImportRequest) async throws(ChatAPIError) -> ImportResult {
        try await call(ChatMethods.Import(request))
    }

    package func notifications(_ request: NotificationsRequest) async throws(ChatAPIError) -> NotificationSettings {
        try await call(ChatMethods.Notifications(request))
    }
}
