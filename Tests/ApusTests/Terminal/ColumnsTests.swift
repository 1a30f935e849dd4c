// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import apus

@Suite struct ColumnsTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("ü", 1), ("e\u{301}", 1), ("日本", 4), ("한글", 4), ("👍", 2), ("👩‍👩‍👧", 2),
        ("\u{2713}\u{2713}", 2),
        ("ａ", 2), ("שלום", 4),
    ])
    func `the room of text is counted in cells`(text: String, cells: Int) {
        #expect(Columns.width(text) == cells)
    }

    @Test func `colour takes no room`() {
        #expect(Columns.uncoloured("\u{1B}[31mred\u{1B}[0m!") == "red!")
    }
}
