// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ProfileClient {
    package nonisolated func sendFile(_ request: SendFileRequest) async throws(ChatAPIError) -> SendResult {
        try await perform { (client) async throws(ChatAPIError) in try await client.sendFile(request) }
    }

    package nonisolated func cancelFile(message: String) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.cancelFile(message: message) }
    }

    package nonisolated func retryFile(message: String) async throws(ChatAPIError) {
        try await perform { (client) async throws(ChatAPIError) in try await client.retryFile(message: message) }
    }

    package nonisolated func fetchFile(_ request: FetchFileRequest) async throws(ChatAPIError) -> LocalFileItem? {
        try await perform { (client) async throws(ChatAPIError) in try await client.fetchFile(request) }
    }

    package nonisolated func files(_ request: FilesRequest) async throws(ChatAPIError) -> [FileItem] {
        try await perform { (client) async throws(ChatAPIError) in try await client.files(request) }
    }

    package nonisolated func media(_ request: MediaRequest) async throws(ChatAPIError) -> MediaSettings {
        try await perform { (client) async throws(ChatAPIError) in try await client.media(request) }
    }
}
