// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Testing
import XMPP

@Suite("SCRAM")
struct SCRAMStateMachineTests {
    func machine(
        _ hash: HashAlgorithm = .sha1, user: String = "user", nonce: String = "fyko+d2lbbFgONRv9qkxdawL",
        binding: GS2Binding = .none
    ) -> SCRAMStateMachine {
        SCRAMStateMachine(hash: hash, binding: binding, user: user, nonce: nonce, stored: nil)
    }

    @Test(
        "reproduces the exchanges of RFC 5802 and RFC 7677",
        arguments: [
            (
                HashAlgorithm.sha1, "fyko+d2lbbFgONRv9qkxdawL",
                "r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096",
                "c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,p=v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=",
                "v=rmF9pqV8S7suAoZWja4dJRkFsKQ="
            ),
            (
                .sha256, "rOprNGfwEbeRWgbNEkqO",
                "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096",
                "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=",
                "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
            ),
        ])
    func vectors(_ hash: HashAlgorithm, _ nonce: String, _ first: String, _ final: String, _ verifier: String) {
        var scram = machine(hash, nonce: nonce)
        #expect(String(decoding: scram.start(), as: UTF8.self) == "n,,n=user,r=\(nonce)")
        guard case .derive(let derivation) = scram.challenge(Array(first.utf8)) else {
            Issue.record("no derivation")
            return
        }
        let action = scram.keysDerived(derivation.keys(password: Array("pencil".utf8)))
        #expect(action == .respond(Array(final.utf8)))
        var tampered = scram
        #expect(scram.finish(Array(verifier.utf8)) == .verified)
        guard case .fail(let error) = tampered.finish(Array("v=AAAA".utf8)) else {
            Issue.record("a wrong signature was taken")
            return
        }
        #expect(error.code == .serverNotAuthentic)
    }

    @Test(
        "B41 passwords are prepared by SASLprep and never case-folded",
        arguments: [
            ("I\u{AD}X", "qp6AKgCIt4B3Ptt0xAO5UbbSvBE="), ("IX", "qp6AKgCIt4B3Ptt0xAO5UbbSvBE="),
            ("A\u{1680}b", "fG0oVC/ALLSisGtmOk0HEU9vsIY="), ("A b", "fG0oVC/ALLSisGtmOk0HEU9vsIY="),
        ])
    func preparesPasswords(_ password: String, _ proof: String) throws {
        var scram = machine(user: "ann", nonce: "cnonce1")
        _ = scram.start()
        let salt = base64(Array("saltsaltsalt".utf8))
        guard case .derive(let derivation) = scram.challenge(Array("r=cnonce1snonce2,s=\(salt),i=4096".utf8)) else {
            Issue.record("no derivation")
            return
        }
        let keys = derivation.keys(password: Array(try saslPrep(password).utf8))
        guard case .respond(let bytes) = scram.keysDerived(keys) else {
            Issue.record("no response")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(",p=\(proof)"))
    }

    @Test("T044 commas and equals signs in a user name are escaped")
    func escapesTheUserName() {
        var scram = machine(user: "a,b=c")
        #expect(String(decoding: scram.start(), as: UTF8.self).hasPrefix("n,,n=a=2Cb=3Dc,r="))
    }

    @Test(
        "T037 T038 T039 B43 a hostile first message ends the login",
        arguments: [
            "r=NONCEx,s=c2FsdA==,i=1", "r=NONCEx,s=c2FsdA==,i=4095", "r=NONCEx,s=c2FsdA==,i=4294967295",
            "r=NONCEx,s=c2FsdA==,i=-1", "r=NONCEx,s=c2FsdA==,i=+4096", "r=NONCEx,s=c2FsdA==,i=4096x",
            "r=NONCEx,s=c2FsdA==,i=04096", "r=NONCEx,s=c2FsdA==,i=", "r=NONCEx,s=c2FsdA==,i= 4096",
            "r=NONCEx,s=c2FsdA==,i=1234567890123456789012345678901234567890", "r=NONCEx,s=c2FsdA==,i=500001",
            "r=NONCEx,s=,i=4096", "r=NONCEx,s=c2Fsd*==,i=4096", "r=NONCEx,s=c2FsdA==,s=c2FsdA==,i=4096",
            "r=NONCEx,r=NONCEx,s=c2FsdA==,i=4096", "m=x,r=NONCEx,s=c2FsdA==,i=4096",
            "r=NONCEx,s=c2FsdA==,i=4096,m=x", "r=NONCE,s=c2FsdA==,i=4096", "r=other,s=c2FsdA==,i=4096",
            "r=,s=c2FsdA==,i=4096", "s=c2FsdA==,r=NONCEx,i=4096", "", ",,,", "r=NONCE\u{0}x,s=c2FsdA==,i=4096",
        ])
    func refusesHostileFirstMessages(_ message: String) {
        var scram = machine(nonce: "NONCE")
        _ = scram.start()
        guard case .fail(let error) = scram.challenge(Array(message.utf8)) else {
            Issue.record("\(message) was taken")
            return
        }
        #expect(error.code == .authenticationFailed)
    }

    @Test("T038 T039 the bounds themselves are accepted, one more is not")
    func bounds() {
        func action(_ salt: Int, _ iterations: Int) -> SCRAMStateMachine.Action {
            var scram = machine(nonce: "NONCE")
            _ = scram.start()
            let text = base64([UInt8](repeating: 1, count: salt))
            return scram.challenge(Array("r=NONCEx,s=\(text),i=\(iterations)".utf8))
        }
        for (salt, iterations, isGood) in [
            (8, 4096, true), (8, 500_000, true), (8, 500_001, false), (1024, 4096, true), (1025, 4096, false),
            (100_000, 4096, false),
        ] {
            if case .derive = action(salt, iterations) { #expect(isGood) } else { #expect(!isGood) }
        }
    }

    @Test("T041 an error of the server is text, and one message too many is refused")
    func errorsAndExtraMessages() {
        var scram = machine(nonce: "NONCE")
        _ = scram.start()
        guard case .fail(let error) = scram.challenge(Array("e=<b>other-error</b>".utf8)) else {
            Issue.record("an error was taken for a challenge")
            return
        }
        #expect(error.description.contains("<b>other-error</b>"))
        guard case .fail = scram.challenge(Array("r=NONCEx,s=c2FsdA==,i=4096".utf8)) else {
            Issue.record("a challenge after the end was taken")
            return
        }
    }

    @Test("stored keys spare the derivation when salt and iterations are the same")
    func storedKeys() {
        let keys = SCRAMDerivation(hash: .sha1, salt: Array("salt".utf8), iterations: 4096)
            .keys(password: Array("pencil".utf8))
        var scram = SCRAMStateMachine(hash: .sha1, binding: .none, user: "user", nonce: "N", stored: keys)
        _ = scram.start()
        guard case .respond = scram.challenge(Array("r=Nx,s=\(base64(Array("salt".utf8))),i=4096".utf8)) else {
            Issue.record("the keys were derived again")
            return
        }
        #expect(!"\(keys) \(String(reflecting: keys))".contains("\(keys.clientKey[0]), \(keys.clientKey[1])"))
    }
}
