// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Testing

@Suite struct PushEncryptionTests {
    // RFC 8291 appendix A.
    private static let message = Array("When I grow up, I want to be a watermelon".utf8)
    private static let sender =
        "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
    private static let senderNumber = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    private static let receiver =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
    private static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
    private static let sealed =
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBr"
        + "u3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

    private static func bytes(_ text: String) throws -> [UInt8] { try #require(decodeBase64url(text)) }

    @Test("The appendix of RFC 8291 comes out byte for byte")
    func appendix() throws {
        let key = try #require(SigningKey(number: Self.bytes(Self.senderNumber), point: Self.bytes(Self.sender)))
        #expect(base64url(key.point) == Self.sender)
        let body = PushEncryption.encrypt(
            Self.message, receiver: try Self.bytes(Self.receiver), secret: try Self.bytes(Self.secret), key: key,
            salt: try Self.bytes(Self.salt))
        #expect(body.map { base64url($0) } == Self.sealed)
    }

    @Test("Each message has a key and a salt of its own")
    func fresh() throws {
        let (receiver, secret) = (try Self.bytes(Self.receiver), try Self.bytes(Self.secret))
        let first = try #require(PushEncryption.encrypt(Self.message, receiver: receiver, secret: secret))
        let second = try #require(PushEncryption.encrypt(Self.message, receiver: receiver, secret: secret))
        #expect(first.prefix(16) != second.prefix(16) && first[21..<86] != second[21..<86])
    }

    @Test("The longest message fills what a push service takes, and a longer one is refused")
    func longest() throws {
        let (receiver, secret) = (try Self.bytes(Self.receiver), try Self.bytes(Self.secret))
        let most = [UInt8](repeating: 7, count: PushEncryption.messageLimit)
        #expect(PushEncryption.encrypt(most, receiver: receiver, secret: secret)?.count == 4096)
        #expect(PushEncryption.encrypt(most + [7], receiver: receiver, secret: secret) == nil)
    }

    @Test("A point that is not on the curve, or keys of another size, encrypt nothing")
    func wrongKeys() throws {
        let (receiver, secret) = (try Self.bytes(Self.receiver), try Self.bytes(Self.secret))
        var off = receiver
        off[64] ^= 1
        #expect(PushEncryption.encrypt(Self.message, receiver: off, secret: secret) == nil)
        #expect(PushEncryption.encrypt(Self.message, receiver: Array(receiver.dropLast()), secret: secret) == nil)
        #expect(PushEncryption.encrypt(Self.message, receiver: receiver, secret: Array(secret.dropLast())) == nil)
        #expect(PushEncryption.encrypt(Self.message, receiver: [UInt8](repeating: 0, count: 65), secret: secret) == nil)
    }

    @Test("A key survives being written down, and one of another kind is not read")
    func written() throws {
        let key = try #require(SigningKey.make())
        #expect(SigningKey(pem: key.pem)?.point == key.point)
        #expect(SigningKey(pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n") == nil)
    }

    @Test("Two owners of keys agree on the same secret")
    func agreement() throws {
        let (one, two) = (try #require(SigningKey.make()), try #require(SigningKey.make()))
        #expect(one.agree(with: two.point) == two.agree(with: one.point))
        #expect(one.agree(with: two.point) != one.agree(with: one.point))
    }

    @Test("The authorization names the service, ends, and carries the key that signed it")
    func authorization() throws {
        let identity = PushIdentity(key: try #require(SigningKey.make()), contact: "mailto:me@example.org")
        let header = try #require(identity.authorization(origin: "https://push.example.net", expires: 1_700_000_000))
        let parts = header.split { " ,=.".contains($0) }.map(String.init)
        #expect(parts[0] == "vapid" && parts[1] == "t" && parts.last == identity.publicKey)
        let claims = String(decoding: try #require(decodeBase64url(parts[3])), as: UTF8.self)
        #expect(claims == #"{"aud":"https://push.example.net","exp":1700000000,"sub":"mailto:me@example.org"}"#)
        #expect(decodeBase64url(parts[4])?.count == 64)
    }
}
