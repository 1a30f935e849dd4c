// SPDX-License-Identifier: Apache-2.0
import XMPP

// The worked example of docs/EXTENSIONS.md; a test compares the two.

// [element]
/// How a throw of dice came out: `<throw xmlns="urn:example:dice" sides="6">4</throw>`.
struct DiceThrow: Sendable, Hashable {
    static let namespace = "urn:example:dice"
    static let name = XMLName("throw", namespace)

    let sides: Int
    let result: Int

    init?(sides: Int, result: Int) {
        guard (2...1000).contains(sides), (1...sides).contains(result) else { return nil }
        self.sides = sides
        self.result = result
    }

    init?(_ element: Element) {
        guard element.matches(Self.name), let sides = element["sides"].flatMap({ Int($0) }),
            let result = Int(element.text)
        else { return nil }
        self.init(sides: sides, result: result)
    }

    var element: Element { Element(Self.name, attributes: ["sides": String(sides)], text: String(result)) }
}

// [stanza]
extension Message {
    /// The throw of dice that the message reports.
    var diceThrow: DiceThrow? {
        get { payload(DiceThrow.name).flatMap { DiceThrow($0) } }
        set { setPayload(DiceThrow.name, newValue?.element) }
    }
}

// [module]
/// Throws dice for whoever asks: `<roll xmlns="urn:example:dice" sides="6"/>`.
struct DiceModule: SessionModule {
    static let roll = XMLName("roll", DiceThrow.namespace)
    private let chance: @Sendable (ClosedRange<Int>) -> Int

    init(chance: @escaping @Sendable (ClosedRange<Int>) -> Int = { Int.random(in: $0) }) {
        self.chance = chance
    }

    var features: [String] { [DiceThrow.namespace] }
    var requests: [XMLName] { [Self.roll] }

    func answer(_ request: IQ, _ context: RequestContext) -> RequestAnswer {
        guard request.kind == .get, let sides = request.payload?["sides"].flatMap({ Int($0) }), sides > 1,
            let thrown = DiceThrow(sides: sides, result: chance(1...sides))
        else { return .error(StanzaError(.badRequest)) }
        return .result(thrown.element)
    }
}

extension XMPPSession {
    /// Has somebody else throw a die.
    func rollDie(sides: Int, at jid: JID) async throws -> DiceThrow {
        let reply = try await get(Element(DiceModule.roll, attributes: ["sides": String(sides)]), to: jid)
        guard let thrown = reply.payload.flatMap({ DiceThrow($0) }), thrown.sides == sides else {
            throw XMPPError(.invalidReply, "\(jid) threw something else")
        }
        return thrown
    }
}

// [end]
