// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

@Suite("PRECIS")
struct PRECISTests {
    @Test(
        "T083 UsernameCaseMapped and OpaqueString agree with precis-i18n",
        arguments: ["UsernameCaseMapped", "OpaqueString"])
    func agreesWithTheOracle(profile: String) throws {
        let texts = SampleTexts.curated + SampleTexts.singles(seed: 5) + SampleTexts.make(count: 12_000, seed: 2031)
        let answers = try PythonOracle.ask(texts.map { PythonOracle.Question(profile: profile, text: $0) })
        var compared = 0
        var accepted = 0
        for (text, answer) in zip(texts, answers) {
            // The two sides may know different versions of Unicode; only what both know is compared.
            if answer == .unknown || text.contains(where: UnicodeProperties.isUnassigned) { continue }
            compared += 1
            let ours = prepare(text, profile).map(PythonOracle.Answer.text) ?? .refused
            if ours != .refused { accepted += 1 }
            let shown = text.map { String($0, radix: 16) }.joined(separator: " ")
            #expect(ours == answer, "\(profile) of \(shown)")
        }
        #expect(compared > 20_000 && accepted > 4000 && compared - accepted > 2000)
    }

    @Test("T083 refuses code points that this version of Unicode does not know")
    func refusesUnassigned() {
        for value: UInt32 in [0x378, 0x530, 0xE0000, 0x323B0, 0xDFFFF] where UnicodeProperties.isUnassigned(value) {
            #expect(prepare([0x61, value], "UsernameCaseMapped") == nil)
            #expect(prepare([0x61, value], "OpaqueString") == nil)
        }
        #expect(UnicodeProperties.isUnassigned(0x378))
    }

    @Test("names the fault")
    func namesTheFault() {
        #expect(throws: PRECISFault.empty) { try PRECIS.usernameCaseMapped([]) }
        #expect(throws: PRECISFault.disallowed(" ")) { try PRECIS.usernameCaseMapped([0x61, 0x20]) }
        #expect(throws: PRECISFault.context("\u{B7}")) { try PRECIS.usernameCaseMapped([0x61, 0xB7]) }
        #expect(throws: PRECISFault.direction) { try PRECIS.usernameCaseMapped([0x5D0, 0x61]) }
        #expect(throws: PRECISFault.disallowed("\u{7}")) { try PRECIS.opaqueString([0x61, 7]) }
    }

    @Test("stays linear on long texts that every rule looks at")
    func staysLinear() throws {
        let katakana = [UInt32](repeating: 0x30FB, count: 1300) + [0x30A2]
        #expect(try PRECIS.usernameCaseMapped(katakana) == katakana)
        let digits = [UInt32](repeating: 0x661, count: 1300)
        #expect(throws: PRECISFault.direction) { try PRECIS.usernameCaseMapped(digits) }
    }

    private func prepare(_ text: [UInt32], _ profile: String) -> [UInt32]? {
        profile == "OpaqueString" ? try? PRECIS.opaqueString(text) : try? PRECIS.usernameCaseMapped(text)
    }
}
