// SPDX-License-Identifier: Apache-2.0

extension SocketChatClient {
    package func sendFile(_ request: SendFileRequest) async throws(ChatAPIError) -> SendResult {
        try await call(ChatMethods.SendFile(request))
    }

    package func cancelFile(message: String) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.CancelFile(message: message))
    }

    package func retryFile(message: String) async throws(ChatAPIError) {
        _ = try await call(ChatMethods.RetryFile(message: message))
    }

    package func fetchFile(_ request: FetchFileRequest) async throws(ChatAPIError) -> LocalFileItem? {
        try await call(ChatMethods.FetchFile(request))
    }

    package func files(_ request: FilesRequest) async throws(ChatAPIError) -> [FileItem] {
        try await call(ChatMethods.Files(request))
    }

    package func media(_ request: MediaRequest) async throws(ChatAPIError) -> MediaSettings {
        try await call(ChatMethods.Media(request))
    }
}
