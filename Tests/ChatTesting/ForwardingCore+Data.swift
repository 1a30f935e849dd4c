// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ForwardingCore {
    package func export(_ request: ExportRequest) async throws(ChatAPIError) -> ExportResult {
        try await fake.export(request)
    }

    package func importConversation(_ request: ImportRequest) async throws(ChatAPIError) -> ImportResult {
        try await fake.importConversation(request)
    }

    package func notifications(_ request: NotificationsRequest) async throws(ChatAPIError) -> NotificationSettings {
        try await fake.notifications(request)
    }
}
