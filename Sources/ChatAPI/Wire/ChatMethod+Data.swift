// SPDX-License-Identifier: Apache-2.0

extension ChatMethods {
    package struct Export: ChatMethod {
        package static let name = "export"
        package var request: ExportRequest
        package init(_ request: ExportRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> ExportResult {
            try await client.export(request)
        }
    }

    package struct Import: ChatMethod {
        package static let name = "import"
        package var request: ImportRequest
        package init(_ request: ImportRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> ImportResult {
            try await client.importConversation(request)
        }
    }

    package struct Notifications: ChatMethod {
        package static let name = "notifications"
        package var request: NotificationsRequest
        package init(_ request: NotificationsRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> NotificationSettings {
            try await client.notifications(request)
        }
    }
}
