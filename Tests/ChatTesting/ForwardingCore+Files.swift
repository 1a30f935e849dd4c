// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension ForwardingCore {
    package func sendFile(_ request: SendFileRequest) async throws(ChatAPIError) -> SendResult {
        try await fake.sendFile(request)
    }

    package func cancelFile(message: String) async throws(ChatAPIError) {
        try await fake.cancelFile(message: message)
    }

    package func retryFile(message: String) async throws(ChatAPIError) {
        try await fake.retryFile(message: message)
    }

    package func fetchFile(_ request: FetchFileRequest) async throws(ChatAPIError) -> LocalFileItem? {
        try await fake.fetchFile(request)
    }

    package func files(_ request: FilesRequest) async throws(ChatAPIError) -> [FileItem] {
        try await fake.files(request)
    }

    package func media(_ request: MediaRequest) async throws(ChatAPIError) -> MediaSettings {
        try await fake.media(request)
    }
}
