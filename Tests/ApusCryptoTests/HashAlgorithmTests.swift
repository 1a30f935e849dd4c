// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ApusCrypto

@Suite struct HashAlgorithmTests {
    @Test func `RFC 6070: PBKDF2 with SHA-1`() {
        let key = pbkdf2(.sha1, password: Array("password".utf8), salt: Array("salt".utf8), iterations: 4096)
        #expect(hexadecimal(key) == "4b007901b765489abead49d926f721d065a429c1")
    }
}
