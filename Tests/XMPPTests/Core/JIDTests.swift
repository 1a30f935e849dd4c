// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import XMPP

@Suite("JID")
struct JIDTests {
    @Test("B01 the resource is cut off before the local part")
    func splitsAtTheSlashFirst() throws {
        let jid = try JID("ann@example.org/desk@home/left")
        #expect(jid.local == "ann")
        #expect(jid.domain == "example.org")
        #expect(jid.resource == "desk@home/left")
        #expect(jid.description == "ann@example.org/desk@home/left")
        #expect(wire("ann@example.org/desk@home/left") == jid)
        // The same with a part that takes the complete algorithm.
        let mixed = try JID("Ann@Example.org/desk@home/left")
        #expect(mixed == jid)
    }

    @Test("B02 an at sign in the resource makes no local part, and a domain is required")
    func readsADomainWithAResource() throws {
        let jid = try JID("example.org/lamp@hall")
        #expect(jid.local == nil)
        #expect(jid.domain == "example.org")
        #expect(jid.resource == "lamp@hall")
        #expect(jid.description == "example.org/lamp@hall")
        #expect(wire("example.org/lamp@hall") == jid)
        #expect(wire("/lamp@hall") == nil)
        #expect(throws: JIDError(.domain, .empty, "is empty")) { try JID("/lamp@hall") }
    }

    @Test(
        "B03 refuses the invalid forms, typed and on the wire",
        arguments: [
            ("ann@/r", JIDError.Part.domain, JIDError.Code.empty), ("@example.org", .local, .empty),
            ("ann@example.org/", .resource, .empty), ("a\"n@example.org", .local, .character),
            ("a&n@example.org", .local, .character), ("a'n@example.org", .local, .character),
            ("a:n@example.org", .local, .character), ("a<n@example.org", .local, .character),
            ("a>n@example.org", .local, .character), ("a n@example.org", .local, .character),
            ("", .domain, .empty), ("@", .domain, .empty), ("/", .domain, .empty), ("@/", .domain, .empty),
            ("ann@", .domain, .empty), ("ann@.", .domain, .empty), ("ann@..", .domain, .empty),
            ("a\u{0}n@example.org", .local, .character), ("ann@exa\u{0}mple.org", .domain, .character),
            ("ann@example.org/a\u{0}", .resource, .character), ("ann@example.org/a\u{7F}", .resource, .character),
            ("ann@example.org/a\u{9F}", .resource, .character), ("ann@example.org/a\nb", .resource, .character),
            (" ann@example.org", .local, .character), ("ann@example.org ", .domain, .character),
            ("ann@ example.org", .domain, .character), ("a@b@c", .domain, .character),
        ])
    func refusesInvalidForms(text: String, part: JIDError.Part, code: JIDError.Code) {
        let error = #expect(throws: JIDError.self) { try JID(text) }
        #expect(error?.part == part)
        #expect(error?.code == code)
        #expect(wire(text) == nil)
    }

    @Test("B03 refuses bytes that are not UTF-8 in each part, and accepts slashes in a resource")
    func refusesInvalidUTF8() throws {
        for bytes: [UInt8] in [[0xFF, 0xFE], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0x80]] {
            #expect(wire(bytes) == nil)
            #expect(wire(bytes + Array("@example.org".utf8)) == nil)
            #expect(wire(Array("ann@".utf8) + bytes) == nil)
            #expect(wire(Array("ann@example.org/".utf8) + bytes) == nil)
        }
        #expect(try JID("ann@example.org/a/b").resource == "a/b")
        #expect(wire("ann@example.org/a/b")?.resource == "a/b")
    }

    @Test("B04 a room joined in capitals is the room that answers in small letters")
    func foldsRoomNames() throws {
        let asked = try JID("TeaRoom@Rooms.example.org/ann")
        let answered = try #require(wire("tearoom@rooms.example.org/ann"))
        #expect(asked == answered)
        #expect(asked.hashValue == answered.hashValue)
        #expect(asked.description == "tearoom@rooms.example.org/ann")
    }

    @Test("B05 a contact in capitals is one contact, and its resources keep their case")
    func foldsContactsButNotResources() throws {
        let added = try JID("BigBo@example.org")
        let pushed = try #require(wire("bigbo@example.org"))
        let upper = try #require(wire("BigBo@EXAMPLE.org/Phone"))
        let lower = try #require(wire("bigbo@example.org/phone"))
        #expect(Set([added, pushed, upper.bare, lower.bare]).count == 1)
        #expect(upper != lower)
        #expect(upper.isSameBare(as: lower) && lower.isSameBare(as: added))
        #expect(upper.resource == "Phone")
        #expect(!added.isSameBare(as: try JID("bigbo@example.or")))
        #expect(!added.isSameBare(as: try JID("bigbo.example.org")))
    }

    @Test("T083 there is one parser and one key for all spellings of an address")
    func hasOneKeyPerAddress() throws {
        for spelling in [
            "Ärgerlich@bücher.example", "ärgerlich@BÜCHER.example", "a\u{308}rgerlich@bu\u{308}cher.example",
            "A\u{308}rgerlich@xn--bcher-kva.example", "ärgerlich@XN--BCHER-KVA.EXAMPLE", "ärgerlich@bücher.example.",
            "ärgerlich@ｂücher．example", "ａ\u{308}rgerlich@bücher。example",
        ] {
            let jid = try JID(spelling)
            #expect(Array(jid.description.utf8) == Array("ärgerlich@bücher.example".utf8), "\(spelling)")
            #expect(wire(spelling) == jid)
        }
    }

    @Test(
        "T083 hostile addresses are dropped",
        arguments: [
            "a@b@c/d@e",  // two at signs
            "ann＠example.org", "ann／x@example.org", "a＜n@example.org",  // full-width forms of the separators
            "ann@example．．org", "ann@-example.org", "ann@example-.org", "ann@exa_mple.org", "ann@exa mple.org",
            "ann@ab--cd.org", "ann@xn--a.org", "ann@xn--bce.org", "ann@xn--.org", "ann@xn--abc-.org", "ann@☃.example",
            "ann@xn--n3h.example", "ann@a\u{200D}b.example", "ann@a·b.example",  // not allowed by IDNA 2008
            "1שלום@example.org", "שלוםa@example.org", "ann@1שלום.example", "ann@3com.שלום",  // bidi rule
            "ann\u{202E}gro@example.org", "ann\u{200B}@example.org", "ann\u{FEFF}@example.org",
            "ann\u{AD}@example.org", "①@example.org", "ﬁ@example.org", "☺@example.org",
            "ann@1.2.3", "ann@999.1.1.1", "ann@010.0.0.1", "ann@127.1", "ann@[::1", "ann@::1", "ann@[::1%lo]",
            "ann@[127.0.0.1]", "ann@[]", "ann@[v1.a]", "ann@[::1]x", "ann@0x7f.1",
        ])
    func dropsHostileAddresses(text: String) {
        #expect(throws: JIDError.self) { try JID(text) }
        #expect(wire(text) == nil)
    }

    @Test("T083 confusable addresses stay different")
    func keepsConfusablesApart() throws {
        #expect(try JID("ann@example.org") != JID("аnn@example.org"))  // Cyrillic а
        #expect(try JID("ann@example.org") != JID("ann@exаmple.org"))
        #expect(try JID("straße@example.org") != JID("strasse@example.org"))
    }

    @Test("T083 each part may have 1023 bytes after preparation and no more")
    func limitsEachPart() throws {
        let long = String(repeating: "a", count: 1023)
        let label = String(repeating: "b", count: 63)
        let domain = Array(repeating: label, count: 15).joined(separator: ".") + "." + label
        #expect(domain.utf8.count == 1023)
        for text in ["\(long)@example.org", "example.org/\(long)", domain, "\(long)@\(domain)/\(long)"] {
            #expect(try JID(text).description == text)
            #expect(wire(text)?.description == text)
        }
        // 1023 letters from 3069 bytes.
        #expect(try JID(String(repeating: "ａ", count: 1023) + "@example.org").local == long)
        for (text, part) in [
            ("a\(long)@example.org", JIDError.Part.local), ("example.org/a\(long)", .resource),
            ("ann@c\(label).org", .domain), ("\(domain).c", .domain),
            (String(repeating: "é", count: 512) + "@example.org", .local),
            ("example.org/" + String(repeating: "é", count: 512), .resource),
        ] {
            let error = #expect(throws: JIDError.self) { try JID(text) }
            #expect(error?.part == part)
            #expect(error?.code == .tooLong)
            #expect(wire(text) == nil)
        }
        #expect(wire(String(repeating: "x", count: 4_000_000)) == nil)
    }

    @Test("joins parts by the same rules")
    func joinsParts() throws {
        let jid = try JID(local: "Ann", domain: "Example.org", resource: "Desk")
        #expect(jid == (try JID("ann@example.org/Desk")))
        #expect(try JID(local: nil, domain: "example.org").description == "example.org")
        #expect(jid.bare == (try JID(local: "ann", domain: "example.org")))
        #expect(jid.bare.isBare && !jid.isBare && jid.bare.bare == jid.bare)
        for parts: (String?, String, String?) in [
            ("", "example.org", nil), ("ann", "", nil), ("ann", "example.org", ""), ("a@b", "example.org", nil),
            ("a/b", "example.org", nil), ("ann", "b@example.org", nil), ("ann", "example.org/x", nil),
        ] {
            #expect(throws: JIDError.self) { try JID(local: parts.0, domain: parts.1, resource: parts.2) }
        }
    }

    @Test("changes the resource and nothing else")
    func changesTheResource() throws {
        let jid = try JID("ann@example.org/desk")
        #expect(try jid.with(resource: "a@b/c").description == "ann@example.org/a@b/c")
        #expect(try jid.with(resource: "a\u{A0}b").resource == "a b")
        #expect(try jid.bare.with(resource: "desk") == jid)
        #expect(throws: JIDError.self) { try jid.with(resource: "") }
        #expect(throws: JIDError.self) { try jid.with(resource: "a\u{0}") }
    }

    @Test("T083 compares and orders by bytes, not by canonical equivalence")
    func comparesBytes() throws {
        let composed = try #require(wire("ann@example.org/é"))
        let decomposed = try #require(wire("ann@example.org/e\u{301}"))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(try JID("ann@example.org/e\u{301}") == composed)
        let sorted = try ["b@a", "a@b/z", "a@b", "a@b/Z", "a.b"].map { try JID($0) }.sorted()
        #expect(sorted.map(\.description) == ["a.b", "a@b", "a@b/Z", "a@b/z", "b@a"])
        #expect(MemoryLayout<JID>.stride == 24)
    }

    @Test("is coded as one string and survives with any resource that a server gave it")
    func codesAsAString() throws {
        for text in ["ann@example.org/desk", "example.org", "ann@bücher.example/e\u{301} \u{A0}"] {
            let jid = try #require(wire(text))
            let data = try JSONEncoder().encode([jid])
            #expect(try JSONDecoder().decode([String].self, from: data) == [text])
            #expect(try JSONDecoder().decode([JID].self, from: data) == [jid])
        }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([JID].self, from: Data(#"["@a"]"#.utf8)) }
    }

    private func wire(_ text: String) -> JID? { JID(wire: text) }

    private func wire(_ bytes: [UInt8]) -> JID? { bytes.withUnsafeBufferPointer { JID(wire: $0) } }
}
