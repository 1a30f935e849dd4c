// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import XMPP

/// What a server that knows the account would prove: it is put into the input's `<success/>`, so that what comes after a
/// login is reached, too.
struct HonestProof {
    /// What the client's keys are made of here.
    static let keys = (client: [UInt8](arrayLiteral: 1), server: [UInt8](arrayLiteral: 2))
    static let token = "t0ken"

    private var mechanism = ""
    private var first = ""
    private var challenge = ""
    private var final = ""

    /// The client's side of the exchange.
    mutating func sent(_ element: Element) {
        switch element.localName {
        case "auth", "authenticate":
            self = HonestProof()
            mechanism = element["mechanism"] ?? ""
            let initial = element.children.first { $0.localName == "initial-response" }
            let message = Self.text(initial ?? element)
            // Behind the header of channel binding.
            let parts = message.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
            first = parts.last.map(String.init) ?? ""
        case "response": final = Self.text(element).components(before: ",p=")
        default: break
        }
    }

    /// The server's side as the input has it, with the proof where a success lacks one.
    mutating func completing(_ element: Element) -> Element {
        switch element.localName {
        case "challenge":
            challenge = Self.text(element)
            return element
        case "success" where element.namespace == "urn:ietf:params:xml:ns:xmpp-sasl" && element.text.isEmpty:
            guard let proof else { return element }
            return Element(.success, text: base64(proof))
        case "success" where element.matches(.sasl2Success), "continue" where element.matches(.sasl2Continue):
            guard let proof, element.child(.sasl2AdditionalData) == nil else { return element }
            let data = Element(.sasl2AdditionalData, text: base64(proof))
            return Element(XMLName(element.localName, SASL2.namespace), children: [data] + Array(element.children))
        default: return element
        }
    }

    private var proof: [UInt8]? {
        if mechanism.hasPrefix("HT-SHA-256-") {
            let binding: [UInt8] =
                switch mechanism.suffix(4) {
                case "EXPR": [UInt8](repeating: 7, count: 32)
                case "ENDP": [1, 2, 3]
                default: []
                }
            return hmac(.sha256, key: Array(Self.token.utf8), Array("Responder".utf8) + binding)
        }
        guard case .scram(let hash)? = SASLMechanism(name: mechanism)?.family, !final.isEmpty else { return nil }
        let signature = hmac(hash, key: Self.keys.server, Array("\(first),\(challenge),\(final)".utf8))
        return Array("v=\(base64(signature))".utf8)
    }

    private static func text(_ element: Element) -> String {
        String(decoding: decodeBase64(element.text) ?? [], as: UTF8.self)
    }
}

extension String {
    /// What stands before the last of these, all of it when there is none.
    fileprivate func components(before mark: String) -> String {
        var end = endIndex
        while end > startIndex {
            if self[end...].hasPrefix(mark) { return String(self[..<end]) }
            end = index(before: end)
        }
        return self
    }
}
