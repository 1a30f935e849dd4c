// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing

@testable import apus

@Suite struct ChatScreenTests {
    private func screen(_ columns: Int = 20, _ rows: Int = 6) -> ChatScreen { ChatScreen(size: { (columns, rows) }) }

    @Test func `a line on the screen is changed in its place`() {
        var screen = screen()
        _ = screen.print("one", key: "1")
        _ = screen.print("two", key: "2")
        #expect(screen.change("1", to: "ONE") == "\u{1B}7\r\u{1B}[2AONE\u{1B}[K\u{1B}8")
        #expect(screen.change("2", to: "TWO") == "\u{1B}7\r\u{1B}[1ATWO\u{1B}[K\u{1B}8")
        #expect(screen.change("3", to: "x") == nil)
    }

    @Test func `rows of long and of wide lines are counted`() {
        var screen = screen(10)
        _ = screen.print("0123456789ab", key: "1")
        _ = screen.print("日本語日本語", key: "2")
        #expect(screen.change("1", to: "0123456789AB")?.hasPrefix("\u{1B}7\r\u{1B}[4A") == true)
        #expect(screen.change("1", to: "short") == nil)
    }

    @Test func `a line that left the screen is not touched`() {
        var screen = screen(20, 3)
        for number in 1...3 { _ = screen.print("\(number)", key: "\(number)") }
        #expect(screen.change("1", to: "x") == nil)
        #expect(screen.change("3", to: "x") != nil)
    }

    @Test func `after a change of width nothing is assumed`() {
        let size = Locked((columns: 20, rows: 10))
        var screen = ChatScreen(size: { size.withLock { $0 } })
        _ = screen.print("one", key: "1")
        size.withLock { $0.columns = 10 }
        #expect(screen.change("1", to: "ONE") == nil)
    }

    @Test func `of a long input the part around the cursor is shown`() {
        var screen = screen(12)
        var editor = LineEditor()
        _ = editor.feed(Array("abcdefghijklmnop".utf8))
        #expect(screen.input(prompt: "> ", editor) == "\r\u{1B}[K> hijklmnop")
        _ = editor.feed([0x01])
        #expect(screen.input(prompt: "> ", editor) == "\r\u{1B}[K> abcdefghi\u{1B}[9D")
    }

    @Test func `what is typed or pasted cannot work the terminal`() {
        var screen = screen(40)
        var editor = LineEditor()
        _ = editor.feed(Array("\u{1B}[200~a\rb\u{202E}c\u{1B}[201~".utf8))
        #expect(screen.input(prompt: "> ", editor) == "\r\u{1B}[K> a\u{21B5}b\u{FFFD}c")
    }
}
