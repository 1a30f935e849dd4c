// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import ApusCrypto

@Suite struct Base64Tests {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `RFC 4648 §10`(plain: String, encoded: String) {
        #expect(base64(Array(plain.utf8)) == encoded)
        #expect(decodeBase64(encoded) == Array(plain.utf8))
        #expect(decodeBase64(Array(encoded.utf8)) == Array(plain.utf8))
    }

    @Test func `agrees with Foundation on random bytes of every length`() {
        for count in 0..<200 {
            let bytes = randomBytes(count)
            let text = base64(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(decodeBase64(text) == bytes)
        }
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zm8", "Zm9v=", "Zm9v====", "====", "=", "==", "=Zg=", "Z=g=", "Zg==Zg==", "Zm8=Zm9v", "Zg=a",
        "Zm9v\n", "Zm9 v", " Zm9v", "Zm9v ", "Zm\n9v", "Zm-v", "Zm_v", "Zm9é", "Zm9\0", "Zh==", "Zm9=", "Zm9v,m9v",
    ])
    func `what is not the one right encoding is refused`(text: String) {
        #expect(decodeBase64(text) == nil)
        #expect(decodeBase64(Array(text.utf8)) == nil)
    }
}
