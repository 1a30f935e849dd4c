// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Entity time (XEP-0202)")
struct EntityTimeTests {
    func time(_ offset: String, _ moment: String = "2006-12-19T17:58:35Z") throws -> EntityTime? {
        EntityTime(try received("<time xmlns='urn:xmpp:time'><tzo>\(offset)</tzo><utc>\(moment)</utc></time>"))
    }

    @Test("is written and read", arguments: [0, 5400, -21_600, 86_340, -86_340])
    func roundTrips(_ seconds: Int) throws {
        try roundTrip(EntityTime(moment: DateTime(seconds: 1_166_551_115), offset: .seconds(seconds)))
    }

    @Test("offsets are read", arguments: [("Z", 0), ("-06:00", -21_600), ("+05:30", 19_800), (" +00:00 ", 0)])
    func offsets(_ text: String, _ seconds: Int) throws {
        #expect(try time(text)?.offset == .seconds(seconds))
    }

    @Test(
        "an offset that is none is refused", arguments: ["", "-0600", "+24:00", "+01:60", "+1:00", "06:00", "+0a:00"])
    func badOffset(_ text: String) throws { #expect(try time(text) == nil) }

    @Test("a stamp that is none is refused", arguments: ["", "now", "2006-12-32T00:00:00Z"])
    func badMoment(_ text: String) throws { #expect(try time("Z", text) == nil) }

    @Test("an offset beyond a day is cut")
    func bounded() {
        #expect(EntityTime(moment: DateTime(seconds: 0), offset: .seconds(1_000_000)).offset == .seconds(86_340))
    }
}
