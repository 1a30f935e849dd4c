// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing
import XMPP
import XMPPTesting

@Suite("The example of docs/EXTENSIONS.md", .timeLimit(.minutes(1)))
struct DiceTests {
    @Test("the page shows the code that is tested here")
    func page() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let source = try String(contentsOf: here.appending(path: "Dice.swift"), encoding: .utf8)
        let root = here.appending(path: "../../../..").standardized
        let page = try String(contentsOf: root.appending(path: "docs/EXTENSIONS.md"), encoding: .utf8)
        let sections = source.components(separatedBy: "\n// [").dropFirst().dropLast()
        #expect(sections.count == 3)
        for section in sections {
            let code = section.drop { $0 != "\n" }.trimmingCharacters(in: .newlines)
            #expect(page.contains("```swift\n\(code)\n```"), "\(code.prefix(60))")
        }
    }

    @Test("an element that breaks the rules is none")
    func strict() throws {
        for xml in [
            "<throw xmlns='urn:example:dice'>4</throw>", "<throw xmlns='urn:example:dice' sides='6'>7</throw>",
            "<throw xmlns='urn:example:dice' sides='6'>x</throw>", "<throw xmlns='urn:example:d20' sides='6'>4</throw>",
        ] { #expect(DiceThrow(try received(xml)) == nil) }
    }

    @Test("a message carries a throw")
    func message() throws {
        var message = Message.chat(to: try JID("bo@example.org"), "I threw a die")
        message.diceThrow = DiceThrow(sides: 6, result: 4)
        #expect(try receivedMessage(written(message)).diceThrow == DiceThrow(sides: 6, result: 4))
    }

    @Test("whoever asks gets a throw, and its feature is announced")
    func answers() async throws {
        let online = try await OnlineSession { $0.modules.append(DiceModule { $0.upperBound }) }
        #expect(online.session.features.contains("urn:example:dice"))
        online.peer.inject(
            "<iq type='get' id='d1' from='bo@example.org/p'><roll xmlns='urn:example:dice' sides='20'/></iq>")
        let answer = await online.peer.expect("iq")
        #expect(answer?["type"] == "result")
        #expect(answer?.children.first.flatMap { DiceThrow($0) } == DiceThrow(sides: 20, result: 20))
        online.peer.inject("<iq type='get' id='d2' from='bo@example.org/p'><roll xmlns='urn:example:dice'/></iq>")
        #expect(await online.peer.expect("iq")?["type"] == "error")
        await online.end()
    }

    @Test("somebody else throws for us")
    func asks() async throws {
        let online = try await OnlineSession()
        let bo = try JID("bo@example.org/p")
        async let thrown = online.session.rollDie(sides: 6, at: bo)
        let get = await online.peer.expect("iq")
        online.peer.inject(
            "<iq type='result' id='\(get?["id"] ?? "")' from='bo@example.org/p'>"
                + "<throw xmlns='urn:example:dice' sides='6'>3</throw></iq>")
        #expect(try await thrown.result == 3)
        await online.end()
    }
}
