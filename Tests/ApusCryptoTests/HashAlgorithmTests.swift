// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ApusCrypto

@Suite struct HashAlgorithmTests {
    @Test(arguments: [
        (HashAlgorithm.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
        ),
        (
            .sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ])
    func `FIPS 180-4: the digest of abc`(algorithm: HashAlgorithm, expected: String) {
        #expect(hexadecimal(digest(algorithm, Array("abc".utf8))) == expected)
        #expect(algorithm.byteCount * 2 == expected.utf8.count)
    }

    @Test func `the digest of nothing`() {
        #expect(hexadecimal(digest(.sha1, [])) == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    }

    @Test func `RFC 2202 and 4231: HMAC`() {
        let data = Array("what do ya want for nothing?".utf8)
        let key = Array("Jefe".utf8)
        #expect(hexadecimal(hmac(.sha1, key: key, data)) == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        #expect(
            hexadecimal(hmac(.sha256, key: key, data))
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            hexadecimal(hmac(.sha384, key: key, data))
                == "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649")
        #expect(
            hexadecimal(hmac(.sha512, key: key, data))
                == "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737")
    }

    @Test func `RFC 4231: a key longer than a block`() {
        let key = [UInt8](repeating: 0xAA, count: 131)
        let data = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)
        #expect(
            hexadecimal(hmac(.sha256, key: key, data))
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test func `HMAC takes an empty key and empty data`() {
        #expect(
            hexadecimal(hmac(.sha256, key: [], []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test(arguments: [
        ("password", "salt", 1, 20, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        ("password", "salt", 2, 20, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        ("password", "salt", 4096, 20, "4b007901b765489abead49d926f721d065a429c1"),
        (
            "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, 25,
            "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
        ),
        ("pass\0word", "sa\0lt", 4096, 16, "56fa6aa75548099dcc37d7f03425e0c3"),
    ])
    func `RFC 6070: PBKDF2 with SHA-1`(
        password: String, salt: String, iterations: Int, byteCount: Int, expected: String
    ) {
        let key = pbkdf2(
            .sha1, password: Array(password.utf8), salt: Array(salt.utf8), iterations: iterations,
            byteCount: byteCount)
        #expect(hexadecimal(key) == expected)
    }

    @Test func `RFC 7914 §11: PBKDF2 with SHA-256`() {
        let short = pbkdf2(.sha256, password: Array("passwd".utf8), salt: Array("salt".utf8), iterations: 1)
        #expect(hexadecimal(short) == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc")
        let long = pbkdf2(
            .sha256, password: Array("Password".utf8), salt: Array("NaCl".utf8), iterations: 80000, byteCount: 64)
        #expect(
            hexadecimal(long)
                == "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56"
                + "a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d")
    }

    @Test func `RFC 5802 §5: the salted password of the example has the digest's size`() {
        // SCRAM's Hi() is PBKDF2 with one block; the example's client key comes from it.
        let salted = pbkdf2(
            .sha1, password: Array("pencil".utf8), salt: decodeBase64("QSXCR+Q6sek8bf92") ?? [], iterations: 4096)
        #expect(hexadecimal(salted) == "1d96ee3a529b5a5f9e47c01f229a2cb8a6e15f7d")
    }

    @Test func `an iteration count that is no count does not crash`() {
        #expect(pbkdf2(.sha256, password: [], salt: [], iterations: 0).count == 32)
        #expect(pbkdf2(.sha256, password: [], salt: [], iterations: -5).count == 32)
    }

    @Test func `comparison in constant time`() {
        #expect(constantTimeEquals([], []))
        #expect(constantTimeEquals([1, 2, 3], [1, 2, 3]))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2, 4]))
        #expect(!constantTimeEquals([1, 2, 3], [1, 2]))
        #expect(!constantTimeEquals([], [0]))
    }
}
