// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import XMPP

@Suite("JID from the wire")
struct JIDWireTests {
    @Test("B05 keeps a resource as it came, whatever OpaqueString would make of it")
    func keepsResources() throws {
        for resource in [
            "e\u{301}", "a\u{A0}b", "\u{3000}", "🦊", "☺", "\u{1FAE8}", "\u{E000}", "\u{AD}", "a b ", "//@",
        ] {
            let jid = try #require(JID(wire: "ann@example.org/\(resource)"))
            #expect(Array(try #require(jid.resource).utf8) == Array(resource.utf8))
        }
        #expect(JID(wire: "ann@example.org/" + String(repeating: "é", count: 511) + "x")?.byteCount == 16 + 1023)
        #expect(JID(wire: "ann@example.org/" + String(repeating: "é", count: 512)) == nil)
    }

    @Test("tells its own spelling from other bytes")
    func comparesRawBytes() throws {
        let jid = try JID("ann@example.org/desk")
        func spelled(_ text: String) -> Bool { Array(text.utf8).withUnsafeBufferPointer { jid.isSpelled($0) } }
        func bareSpelled(_ text: String) -> Bool { Array(text.utf8).withUnsafeBufferPointer { jid.isBareSpelled($0) } }
        #expect(spelled("ann@example.org/desk") && bareSpelled("ann@example.org"))
        for text in ["", "ann@example.org/des", "ann@example.org/desk1", "ann@example.org", "Ann@example.org/desk"] {
            #expect(!spelled(text))
        }
        for text in ["", "ann@example.or", "ann@example.org/", "ann@example.org/desk", "example.org"] {
            #expect(!bareSpelled(text))
        }
    }

    @Test("the short cut for ASCII takes exactly what the complete algorithm leaves unchanged")
    func shortCutAgreesWithTheCompleteAlgorithm() {
        var random = SeededRandom(seed: 7)
        let alphabet = Array("abcxnz019AZ-..--@@//  \\\"&':<>_~!#[]\u{1}\u{7F}".utf8)
        var accepted = 0
        for _ in 0..<60_000 {
            let count = Int(random.next() % 16)
            let bytes = (0..<count).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
            bytes.withUnsafeBufferPointer { buffer in
                let complete = try? JID.parse(buffer, .wire)
                let strict = try? JID.parse(buffer, .strict)
                #expect(complete == strict)
                if let short = JID(canonicalASCII: buffer) {
                    accepted += 1
                    #expect(complete == short)
                    #expect(complete?.domain == short.domain && complete?.local == short.local)
                } else if let complete, Array(complete.description.utf8) == bytes {
                    // What it leaves to the complete algorithm: numeric last labels and IP addresses.
                    #expect(complete.isIPLiteral)
                }
            }
        }
        #expect(accepted > 500)
    }

    @Test("T083 no bytes whatever trap the parser")
    func survivesRandomBytes() {
        var random = SeededRandom(seed: 11)
        let seeds = [
            "ann@example.org/desk", "ärger@bücher.example/é", "a@[::1]/x", "שלום@שלום", "a\\40b@xn--bcher-kva",
        ]
        for round in 0..<40_000 {
            var bytes = Array(seeds[round % seeds.count].utf8)
            for _ in 0...Int(random.next() % 3) where !bytes.isEmpty {
                let index = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: index)
                }
            }
            guard let jid = bytes.withUnsafeBufferPointer({ JID(wire: $0) }) else { continue }
            // Canonical means that reading it again changes nothing.
            #expect(JID(wire: jid.description) == jid)
            #expect(JID(wire: jid.description)?.description.utf8.elementsEqual(jid.description.utf8) == true)
            _ = (jid.displayText, jid.asciiDomain, jid.bare, jid.addressLiteral)
        }
    }
}
