// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import ChatAPI
import Foundation

extension WebRoutes {
    static let uploads: [WebRoute] = [
        WebRoute(
            .post, "uploads", isRemembered: true, isRepeatable: true, bodies: ["application/octet-stream"],
            savesBody: true
        ) { (service, call) async throws(ChatAPIError) in
            guard let name = call.head.query["name"], !name.isEmpty, name.utf8.count <= 1024 else {
                throw ChatAPIError(.invalidArgument, "name is the name of the file")
            }
            guard let file = call.file, file.count > 0 else {
                throw ChatAPIError(.invalidArgument, "the file is empty")
            }
            let uploads = service.uploads
            // All of it has to be on the disk.
            let upload = try await BlockingQueue.shared.run { () throws(ChatAPIError) in
                try uploads.add(file, name: name)
            }
            return .json(201, UploadReply(upload))
        },
        WebRoute(.get, "uploads/{upload}") { (service, call) throws(ChatAPIError) in
            guard let upload = service.uploads[call["upload"]] else { throw noUpload }
            return .json(200, UploadReply(upload))
        },
        WebRoute(.delete, "uploads/{upload}", isRemembered: true, isRepeatable: true) {
            (service, call) throws(ChatAPIError) in
            guard service.uploads.remove(call["upload"]) else { throw noUpload }
            return .done
        },
    ]

    static let noUpload = ChatAPIError(
        .notFound, "there is no such file", hint: "it was sent, taken out, or is too old")
}

private struct UploadReply: Encodable {
    let id: String
    let name: String
    let size: Int
    let type: String

    init(_ upload: WebUploads.Upload) {
        id = upload.id
        name = upload.name
        size = upload.size
        type = upload.type
    }
}
