// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Message styling (XEP-0393)", .timeLimit(.minutes(1)))
struct StyledTextTests {
    func line(_ text: String) -> [StyledSpan] {
        guard case .line(let spans) = StyledText(text).blocks.first else { return [] }
        return spans
    }

    @Test("the spans of the specification")
    func spans() {
        #expect(line("plain span") == [.text("plain span")])
        #expect(line("*strong span*") == [.strong([.text("strong span")])])
        #expect(
            line("plain _emphasis_ plain") == [.text("plain "), .emphasis([.text("emphasis")]), .text(" plain")])
        #expect(
            line("`pre` plain *strong*") == [.preformatted("pre"), .text(" plain "), .strong([.text("strong")])])
        #expect(line("*strong* plain*") == [.strong([.text("strong")]), .text(" plain*")])
        #expect(line("* plain *strong*") == [.text("* plain "), .strong([.text("strong")])])
        #expect(
            line("Everyone ~dis~likes cake.") == [
                .text("Everyone "), .struck([.text("dis")]), .text("likes cake."),
            ])
        #expect(line("This is `*monospace*`") == [.text("This is "), .preformatted("*monospace*")])
        #expect(
            line("This is *`monospace and bold`*") == [
                .text("This is "), .strong([.preformatted("monospace and bold")]),
            ])
        #expect(line("*_~`x`~_*") == [.strong([.emphasis([.struck([.preformatted("x")])])])])
    }

    @Test(
        "what the specification leaves plain",
        arguments: [
            "not strong*", "*not strong", "*not *strong", "**", "***", "****", "a*b*", "* a*", "*a *", "` a `", "_",
        ])
    func plain(_ text: String) { #expect(line(text) == [.text(text)]) }

    @Test("spans do not leave their line")
    func lines() {
        #expect(StyledText("*not \n strong*").blocks == [.line([.text("*not ")]), .line([.text(" strong*")])])
        #expect(StyledText("").blocks == [.line([])])
    }

    @Test("preformatted blocks end with their fence or with what is around them")
    func preformatted() {
        #expect(
            StyledText("```swift\nlet *x* = 1\n\n```\nafter *x*").blocks == [
                .preformatted("let *x* = 1\n", language: "swift"), .line([.text("after "), .strong([.text("x")])]),
            ])
        #expect(StyledText("```\nopen\n``` no").blocks == [.preformatted("open\n``` no", language: "")])
        #expect(
            StyledText("> ```\n> (println)\nplain").blocks == [
                .quote([.preformatted("(println)", language: "")]), .line([.text("plain")]),
            ])
    }

    @Test("quotes lie in each other, and lose one white space of each line")
    func quotes() {
        #expect(
            StyledText(">> That that is, is.\n> Said the old hermit.\nWho?").blocks == [
                .quote([.quote([.line([.text("That that is, is.")])]), .line([.text("Said the old hermit.")])]),
                .line([.text("Who?")]),
            ])
        #expect(StyledText(">  two").blocks == [.quote([.line([.text(" two")])])])
    }

    @Test("a message can ask for no styles")
    func unstyled() throws {
        let message = try receivedMessage(
            "<message type='chat'><body>> _ &lt;</body><unstyled xmlns='urn:xmpp:styling:0'/></message>")
        #expect(message.isUnstyled && message.styledBody?.blocks == [.line([.text("> _ <")])])
        var other = Message.chat(to: nil, "*x*")
        #expect(other.styledBody?.blocks == [.line([.strong([.text("x")])])])
        other.isUnstyled = true
        #expect(other.styledBody?.blocks == [.line([.text("*x*")])])
        #expect(Message(to: nil).styledBody == nil)
    }

    static func texts(_ blocks: [StyledBlock]) -> Int {
        func count(_ span: StyledSpan) -> Int {
            switch span {
            case .text(let text), .preformatted(let text): text.unicodeScalars.count
            case .strong(let spans), .emphasis(let spans), .struck(let spans): spans.reduce(2) { $0 + count($1) }
            }
        }
        return blocks.reduce(0) { sum, block in
            switch block {
            case .line(let spans): sum + spans.reduce(0) { $0 + count($1) }
            case .preformatted(let text, _): sum + text.unicodeScalars.count
            case .quote(let blocks): sum + texts(blocks)
            }
        }
    }

    @Test(
        "T125 a long text of anything is taken apart in time that grows with its length",
        arguments: ["*", "*a ", "_*~`", "> ", ">", "`", "```\n", "*a _b ~c `d ", "a\n", "\n", "> *a\n", "\u{301}"])
    func hostile(_ piece: String) {
        let text = String(repeating: piece, count: 300_000 / piece.utf8.count)
        let styled = StyledText(text)
        #expect(!styled.blocks.isEmpty && Self.texts(styled.blocks) <= text.unicodeScalars.count)
    }

    @Test("T125 quotes deeper than the cap are lines")
    func deep() {
        var blocks = StyledText(String(repeating: ">", count: 20)).blocks
        var depth = 0
        while case .quote(let inner) = blocks.first {
            blocks = inner
            depth += 1
        }
        #expect(depth == 16 && blocks == [.line([.text(">>>>")])])
    }
}
