// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

extension FakeChatClient {
    package func export(_ request: ExportRequest) async throws(ChatAPIError) -> ExportResult {
        try note("export \(request.path)")
        return ExportResult(files: [request.path])
    }

    package func importConversation(_ request: ImportRequest) async throws(ChatAPIError) -> ImportResult {
        try note("importConversation \(request.path)")
        return ImportResult(messages: 0)
    }
}
