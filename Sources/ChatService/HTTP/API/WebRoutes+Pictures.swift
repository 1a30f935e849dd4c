// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Foundation

extension WebRoutes {
    /// Bytes of a picture that is published; the core takes fewer, and says so.
    private static let pictureBytes = 1 << 20
    private static let pictureTypes = ["image/png", "image/jpeg", "image/webp"]

    /// Pictures of the own accounts, and of rooms that belong to them.
    static let pictures: [WebRoute] = [
        WebRoute(.put, "accounts/{account}/avatar", bodies: pictureTypes) { (service, call) throws(ChatAPIError) in
            let data = try published(call)
            try await service.client.setPicture(PictureRequest(account: call.account, data: data))
            return .done
        },
        WebRoute(.delete, "accounts/{account}/avatar") { (service, call) throws(ChatAPIError) in
            try await service.client.setPicture(PictureRequest(account: call.account, data: nil))
            return .done
        },
        WebRoute(.put, "rooms/{account}/{room}/avatar", bodies: pictureTypes) { (service, call) throws(ChatAPIError) in
            let data = try published(call)
            try await service.client.setPicture(
                PictureRequest(account: call.account, room: call["room"], data: data))
            return .done
        },
        WebRoute(.delete, "rooms/{account}/{room}/avatar") { (service, call) throws(ChatAPIError) in
            try await service.client.setPicture(
                PictureRequest(account: call.account, room: call["room"], data: nil))
            return .done
        },
    ]

    private static func published(_ call: WebCall) throws(ChatAPIError) -> Data {
        guard !call.body.isEmpty, call.body.count <= pictureBytes else {
            throw ChatAPIError(.tooLarge, "the picture is too large", hint: "make it smaller")
        }
        return Data(call.body)
    }
}
