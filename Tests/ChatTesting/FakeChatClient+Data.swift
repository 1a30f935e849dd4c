// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import Foundation

extension FakeChatClient {
    package func export(_ request: ExportRequest) async throws(ChatAPIError) -> ExportResult {
        try note("export \(request.path)")
        guard FileManager.default.createFile(atPath: request.path, contents: Data("<b>exported</b>".utf8)) else {
            throw ChatAPIError(.storage, "cannot write there")
        }
        return ExportResult(files: [request.path])
    }

    package func importConversation(_ request: ImportRequest) async throws(ChatAPIError) -> ImportResult {
        try note("importConversation \(request.path)")
        return ImportResult(messages: 0)
    }
}
