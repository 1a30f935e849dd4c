// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

extension Element {
    /// The bytes that the text of the element stands for in base64, white space left out (XEP-0153 §4.6, XEP-0084 §4.1).
    ///
    /// The size is checked before anything is decoded (T144). Throws ``XMPPError``: `pictureTooLarge`, or
    /// `pictureNotAcceptable` when the text is no base64.
    package func pictureBytes(_ limits: Picture.Limits) throws(XMPPError) -> [UInt8] {
        let text = withText { text -> Result<[UInt8], XMPPError> in
            let count = text.count(where: { !Self.isSpace($0) })
            guard count / 4 <= limits.bytes / 3 + 1 else { return .failure(.pictureTooLarge(count / 4 * 3, limits)) }
            return .success(text.filter { !Self.isSpace($0) })
        }
        guard let bytes = decodeBase64(try text.get()) else {
            throw XMPPError(.pictureNotAcceptable, "the picture is damaged: it is no base64")
        }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }
}
