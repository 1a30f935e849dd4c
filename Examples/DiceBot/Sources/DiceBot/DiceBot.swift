// SPDX-License-Identifier: Apache-2.0
import Foundation
import XMPP

/// An extension of one's own, from outside: throws dice; `DiceBot ADDRESS [HOST PORT CA-FILE] < password`.
///
/// A request is `<roll xmlns="urn:example:dice" sides="6"/>`; a message `/roll 6` does the same for people.
@main struct DiceBot {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 1 else { return print("DiceBot ADDRESS [HOST PORT CA-FILE] < password") }
        var account = try Account(arguments[1], password: readLine() ?? "")
        if arguments.count > 4, let port = UInt16(arguments[3]) {
            account.server = ServerAddress(host: arguments[2], port: port)
            account.trust.authorityFiles = [arguments[4]]
        }
        var configuration = SessionConfiguration()
        configuration.modules.append(DiceModule())
        let session = XMPPSession(account: account, configuration: configuration)
        let incoming = session.messages()
        do { try await session.connect() } catch {
            print(error)
            exit(1)
        }
        for try await message in incoming {
            guard let text = message.body, text.hasPrefix("/roll "), let sides = Int(text.dropFirst(6)),
                let thrown = DiceThrow.random(sides: sides)
            else { continue }
            var answer = Message.chat(to: message.from, "\(thrown.result) of \(sides)")
            answer.diceThrow = thrown
            try await session.send(answer)
        }
    }
}

/// How a throw came out: `<throw xmlns="urn:example:dice" sides="6">4</throw>`.
struct DiceThrow: Sendable, Hashable {
    static let name = XMLName("throw", "urn:example:dice")
    let sides: Int
    let result: Int

    static func random(sides: Int) -> DiceThrow? {
        (2...1000).contains(sides) ? DiceThrow(sides: sides, result: .random(in: 1...sides)) : nil
    }

    var element: Element { Element(Self.name, attributes: ["sides": String(sides)], text: String(result)) }
}

extension DiceThrow {
    /// Strict to read: what breaks the rules is no throw.
    init?(_ element: Element) {
        guard element.matches(Self.name), let sides = element["sides"].flatMap({ Int($0) }), (2...1000).contains(sides),
            let result = Int(element.text), (1...sides).contains(result)
        else { return nil }
        self.init(sides: sides, result: result)
    }
}

extension Message {
    /// The throw that the message reports.
    var diceThrow: DiceThrow? {
        get { payload(DiceThrow.name).flatMap { DiceThrow($0) } }
        set { setPayload(DiceThrow.name, newValue?.element) }
    }
}

/// Answers requests, and tells others that it does.
struct DiceModule: SessionModule {
    static let roll = XMLName("roll", "urn:example:dice")
    var features: [String] { ["urn:example:dice"] }
    var requests: [XMLName] { [Self.roll] }

    func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        let sides = request.payload?["sides"].flatMap { Int($0) } ?? 6
        guard let thrown = DiceThrow.random(sides: sides) else { return .error(StanzaError(.badRequest)) }
        return .result(thrown.element)
    }
}
