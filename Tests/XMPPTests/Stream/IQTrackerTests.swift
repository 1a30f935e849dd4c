// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("Open requests")
struct IQTrackerTests {
    static func jid(_ text: String) throws -> JID { try JID(text) }

    /// Whether a request to `to` takes a reply from `from` (an empty text stands for no address).
    static func accepts(to: String, from: String, own: String? = "ann@example.org/pc") throws -> Bool {
        var tracker = IQTracker<Int>()
        #expect(tracker.open(id: "a9", to: to.isEmpty ? nil : try JID(to), token: 7) == true)
        let token = tracker.complete(
            id: "a9", from: from.isEmpty ? nil : try JID(from), own: try own.map { try JID($0) },
            domain: try JID("example.org"))
        #expect((token == nil) == tracker.isOpen(id: "a9"))
        return token == 7
    }

    @Test(
        "T070 B61 OF20 a request without address is answered by one's own account or domain",
        arguments: [
            ("", true), ("ann@example.org", true), ("ANN@Example.ORG", true), ("example.org", true),
            ("ann@example.org/pc", true), ("mal@example.net/x", false), ("ann@example.org/phone", false),
            ("ann@example.net", false), ("example.net", false), ("chat.example.org", false), ("bo@example.org", false),
            ("example.org/x", false), ("ann.example.org", false),
        ])
    func withoutAddress(_ from: String, _ isAccepted: Bool) throws {
        #expect(try Self.accepts(to: "", from: from) == isAccepted)
    }

    @Test(
        "T070 a request to one's own account takes no, the bare or the full own address",
        arguments: [
            ("", true), ("ann@example.org", true), ("ann@example.org/pc", true), ("example.org", false),
            ("ann@example.org/phone", false), ("mal@example.net/x", false),
        ])
    func toOwnAccount(_ from: String, _ isAccepted: Bool) throws {
        #expect(try Self.accepts(to: "ann@example.org", from: from) == isAccepted)
    }

    @Test(
        "T068 B61 a request to anybody else takes exactly that address",
        arguments: [
            ("bo@example.org", "bo@example.org", true), ("bo@example.org", "", false),
            ("bo@example.org", "bo@example.org/x", false), ("bo@example.org", "example.org", false),
            ("bo@example.org", "ann@example.org", false), ("bo@example.org/x", "bo@example.org/x", true),
            ("bo@example.org/x", "bo@example.org/X", false), ("bo@example.org/x", "bo@example.org", false),
            ("example.org", "example.org", true), ("example.org", "", false), ("example.org", "ann@example.org", false),
            ("example.org", "ann@example.org/pc", false), ("conference.example.org", "example.org", false),
            ("ann@example.org/phone", "ann@example.org/phone", true),
            ("ann@example.org/phone", "ann@example.org", false),
            ("ann@example.org/pc", "ann@example.org/pc", true),
        ])
    func toOthers(_ to: String, _ from: String, _ isAccepted: Bool) throws {
        #expect(try Self.accepts(to: to, from: from) == isAccepted)
    }

    @Test(
        "T070 before an address is bound only the server answers",
        arguments: [
            ("", "", true), ("", "example.org", true), ("", "mal@example.net", false), ("", "ann@example.org", false),
            ("example.org", "example.org", true), ("example.org", "", true), ("example.org", "example.net", false),
        ])
    func unbound(_ to: String, _ from: String, _ isAccepted: Bool) throws {
        #expect(try Self.accepts(to: to, from: from, own: nil) == isAccepted)
    }

    @Test("T071 a request is completed once, and a foreign reply leaves it open")
    func completesOnce() throws {
        var tracker = IQTracker<Int>()
        let (bo, mal, own, domain) = (
            try JID("bo@example.org/p"), try JID("mal@example.net/x"), try JID("ann@example.org/pc"),
            try JID("example.org")
        )
        #expect(tracker.open(id: "1", to: bo, token: 1) == true)
        #expect(tracker.complete(id: "1", from: mal, own: own, domain: domain) == nil)
        #expect(tracker.complete(id: "2", from: bo, own: own, domain: domain) == nil)
        #expect(tracker.complete(id: "1", from: bo, own: own, domain: domain) == 1)
        #expect(tracker.complete(id: "1", from: bo, own: own, domain: domain) == nil)
        #expect(tracker.count == 0)
    }

    @Test("T071 an id is open once at a time, to whomever")
    func idsAreUnique() throws {
        var tracker = IQTracker<Int>()
        #expect(tracker.open(id: "1", to: nil, token: 1) == true)
        #expect(tracker.open(id: "1", to: try JID("bo@example.org"), token: 2) == false)
        #expect(tracker.close(id: "1") == 1)
        #expect(tracker.close(id: "1") == nil)
        #expect(tracker.open(id: "1", to: try JID("bo@example.org"), token: 3) == true)
        #expect(tracker.open(id: "2", to: nil, token: 4) == true)
        #expect(tracker.closeAll().sorted() == [3, 4])
        #expect(tracker.count == 0)
    }
}
