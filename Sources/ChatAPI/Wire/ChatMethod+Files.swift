// SPDX-License-Identifier: Apache-2.0

extension ChatMethods {
    package struct SendFile: ChatMethod {
        package static let name = "file.send"
        package var request: SendFileRequest
        package init(_ request: SendFileRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> SendResult {
            try await client.sendFile(request)
        }
    }

    package struct CancelFile: ChatMethod {
        package static let name = "file.cancel"
        package var message: String
        package init(message: String) { self.message = message }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.cancelFile(message: message)
            return Done()
        }
    }

    package struct RetryFile: ChatMethod {
        package static let name = "file.retry"
        package var message: String
        package init(message: String) { self.message = message }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> Done {
            try await client.retryFile(message: message)
            return Done()
        }
    }

    package struct FetchFile: ChatMethod {
        package static let name = "file.fetch"
        package var request: FetchFileRequest
        package init(_ request: FetchFileRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> LocalFileItem? {
            try await client.fetchFile(request)
        }
    }

    package struct Files: ChatMethod {
        package static let name = "files"
        package var request: FilesRequest
        package init(_ request: FilesRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> [FileItem] {
            try await client.files(request)
        }
    }

    package struct Media: ChatMethod {
        package static let name = "account.media"
        package var request: MediaRequest
        package init(_ request: MediaRequest) { self.request = request }
        package func perform(on client: any ChatClient) async throws(ChatAPIError) -> MediaSettings {
            try await client.media(request)
        }
    }
}
