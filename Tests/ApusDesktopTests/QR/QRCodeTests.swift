// SPDX-License-Identifier: Apache-2.0
import ApusDesktop
import Testing

@Suite("QR codes")
struct QRCodeTests {
    @Test("A code has the three finder patterns and a square size")
    func finders() throws {
        let code = try #require(QRCode("http://127.0.0.1:8420/#pair=ABCDE-FGHJK"))
        #expect(code.size % 4 == 1 && code.size >= 21)
        for (left, top) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
            #expect((0..<7).allSatisfy { code.isDark(left + $0, top) && code.isDark(left + $0, top + 6) })
            #expect(code.isDark(left + 3, top + 3) && !code.isDark(left + 1, top + 1))
        }
        #expect(!code.isDark(-1, 0) && !code.isDark(0, code.size))
    }

    @Test("The path draws every dark module once and no light one")
    func path() throws {
        let code = try #require(QRCode("apus"))
        var drawn: Set<[Int]> = []
        for run in code.path.split(separator: "M") {
            let numbers = run.split { !$0.isNumber && $0 != "-" }.compactMap { Int($0) }
            for column in numbers[0]..<numbers[0] + numbers[2] {
                #expect(drawn.insert([column, numbers[1]]).inserted)
            }
        }
        for row in 0..<code.size {
            for column in 0..<code.size { #expect(drawn.contains([column, row]) == code.isDark(column, row)) }
        }
    }

    @Test("A terminal shows two rows to a line, with a quiet zone")
    func terminal() throws {
        let code = try #require(QRCode("apus"))
        let lines = code.terminalText().split(separator: "\n")
        #expect(lines.count == (code.size + 4 + 1) / 2)
        #expect(lines.allSatisfy { $0.hasPrefix("\u{1B}[30;107m") && $0.hasSuffix("\u{1B}[0m") })
        #expect(lines[0].dropFirst(9).dropLast(4).allSatisfy { $0 == " " })
    }

    @Test("A text that no code can hold gives none")
    func tooLong() {
        #expect(QRCode("") == nil)
        #expect(QRCode(String(repeating: "a", count: 5000)) == nil)
    }
}
