// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatKit

extension WebRoutes {
    /// Bytes of a photo.
    private static let photoBytes = 24 << 20

    static let scan: [WebRoute] = [
        WebRoute(.post, "scan", bodies: ["image/png", "image/jpeg", "image/webp"], savesBody: true) {
            (service, call) throws(ChatAPIError) in
            guard let scanner = service.scanner else {
                throw ChatAPIError(.unsupported, "the program that reads pictures is not installed")
            }
            guard let file = call.file, (1...photoBytes).contains(file.count) else {
                throw ChatAPIError(.tooLarge, "the photo is empty or too large", hint: "make it smaller")
            }
            // The photo goes with its last owner, which is this call.
            do {
                return .json(200, ScanReply(text: try await scanner(file.path)))
            } catch let error as ChatError {
                throw ChatAPIError(error)
            } catch {
                throw ChatAPIError(.fault, "the photo cannot be read")
            }
        }
    ]
}

private struct ScanReply: Encodable {
    let text: String?
}
