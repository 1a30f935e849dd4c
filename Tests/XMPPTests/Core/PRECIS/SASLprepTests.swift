// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Foundation
import Testing

@testable import XMPP

@Suite("SASLprep")
struct SASLprepTests {
    @Test("B41 a soft hyphen vanishes, an Ogham space becomes a space, and the proofs are the expected ones")
    func preparesPasswords() throws {
        #expect(try saslPrep("I\u{AD}X") == "IX")
        #expect(try saslPrep("A\u{1680}b") == "A b")
        #expect(try proof("I\u{AD}X") == "qp6AKgCIt4B3Ptt0xAO5UbbSvBE=")
        #expect(try proof("IX") == "qp6AKgCIt4B3Ptt0xAO5UbbSvBE=")
        #expect(try proof("A\u{1680}b") == "fG0oVC/ALLSisGtmOk0HEU9vsIY=")
        #expect(try proof("A b") == "fG0oVC/ALLSisGtmOk0HEU9vsIY=")
    }

    @Test("B41 case is never folded")
    func keepsCase() throws {
        #expect(try saslPrep("USER") == "USER")
        #expect(try saslPrep("user") == "user")
        #expect(try saslPrep("ÄÖÜẞΣ") == "ÄÖÜẞΣ")
    }

    @Test("follows the examples of RFC 4013 §3")
    func followsTheExamples() throws {
        #expect(try saslPrep("\u{AA}") == "a")
        #expect(try saslPrep("\u{2168}") == "IX")
        #expect(throws: SASLprepError.prohibited("\u{7}")) { try saslPrep("\u{7}") }
        #expect(throws: SASLprepError.direction) { try saslPrep("\u{627}1") }
        #expect(try saslPrep("\u{627}1\u{628}") == "\u{627}1\u{628}")
    }

    @Test("T044 a password of which nothing remains is refused", arguments: ["", "\u{AD}", "\u{200B}\u{FE0F}\u{2060}"])
    func refusesEmpty(text: String) {
        #expect(throws: SASLprepError.empty) { try saslPrep(text) }
    }

    @Test("T044 passwords that need preparation are prepared or refused, names with commas stay as they are")
    func preparesOrRefuses() throws {
        #expect(try saslPrep("a,b=c") == "a,b=c")
        #expect(try saslPrep("pa\u{308}ss") == "p\u{E4}ss")
        #expect(try saslPrep(" a ") == " a ")
        #expect(throws: SASLprepError.self) { try saslPrep("a\nb") }
        #expect(throws: SASLprepError.self) { try saslPrep("a\u{0}b") }
        #expect(throws: SASLprepError.self) { try saslPrep("a\u{7F}") }
        #expect(throws: SASLprepError.self) { try saslPrep("a\u{E000}") }
    }

    @Test("an emoji passes unchanged unless code points later than Unicode 3.2 are refused")
    func letsLaterCodePointsPass() throws {
        #expect(try saslPrep("\u{AA}🦊e\u{301}") == "a🦊\u{E9}")
        #expect(throws: SASLprepError.unassigned("🦊")) { try saslPrep("a🦊", allowsUnassigned: false) }
        // Known today, unknown then: not normalised.
        #expect(try saslPrep("\u{1F130}").unicodeScalars.map(\.value) == [0x1F130])
    }

    @Test("B41 agrees with the tables of RFC 3454 as Python has them", arguments: ["saslprep", "saslprep-stored"])
    func agreesWithTheOracle(profile: String) throws {
        let texts = SampleTexts.curated + SampleTexts.singles(seed: 9) + SampleTexts.make(count: 8000, seed: 4013)
        let answers = try PythonOracle.ask(texts.map { PythonOracle.Question(profile: profile, text: $0) })
        var accepted = 0
        for (text, answer) in zip(texts, answers) {
            if answer == .unknown || text.contains(where: UnicodeProperties.isUnassigned) { continue }
            // Python gives marks later than Unicode 3.2 their present order, and has five mappings that Unicode
            // corrected afterwards (its Corrigendum 4).
            if text.contains(where: { SASLprep.isUnassigned($0) && UnicodeProperties.combiningClass($0) != 0 }) {
                continue
            }
            if !corrected.isDisjoint(with: text) { continue }
            let source = String(decoding: UnicodeText.utf8(text), as: UTF8.self)
            let ours = try? saslPrep(source, allowsUnassigned: profile == "saslprep").unicodeScalars.map(\.value)
            if ours != nil { accepted += 1 }
            let shown = text.map { String($0, radix: 16) }.joined(separator: " ")
            #expect(ours.map(PythonOracle.Answer.text) ?? .refused == answer, "\(profile) of \(shown)")
        }
        #expect(accepted > 5000)
    }

    private let corrected: Set<UInt32> = [0x2F868, 0x2F874, 0x2F91F, 0x2F95F, 0x2F9BF]

    /// The proof of SCRAM-SHA-1 for the fixed exchange of B41 (RFC 5802 §3).
    private func proof(_ password: String) throws -> String {
        let key = Array(try saslPrep(password).utf8)
        let salted = pbkdf2(.sha1, password: key, salt: Array("saltsaltsalt".utf8), iterations: 4096)
        let clientKey = hmac(.sha1, key: salted, Array("Client Key".utf8))
        let message =
            "n=ann,r=cnonce1,r=cnonce1snonce2,s=\(Data("saltsaltsalt".utf8).base64EncodedString()),i=4096,c=biws,r=cnonce1snonce2"
        let signature = hmac(.sha1, key: digest(.sha1, clientKey), Array(message.utf8))
        return Data(zip(clientKey, signature).map { $0 ^ $1 }).base64EncodedString()
    }
}
