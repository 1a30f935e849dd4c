// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ProfileClient {
    package nonisolated func export(_ request: ExportRequest) async throws(ChatAPIError) -> ExportResult {
        try await perform { (client) async throws(ChatAPIError) in try await client.export(request) }
    }

    package nonisolated func importConversation(_ request: ImportRequest) async throws(ChatAPIError) -> ImportResult {
        try await perform { (client) async throws(ChatAPIError) in try await client.importConversation(request) }
    }

    package nonisolated func notifications(
        _ request: NotificationsRequest
    ) async throws(ChatAPIError) -> NotificationSettings {
        try await perform { (client) async throws(ChatAPIError) in try await client.notifications(request) }
    }
}
