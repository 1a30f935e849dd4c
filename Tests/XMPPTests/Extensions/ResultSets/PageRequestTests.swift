// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("Parts of long lists (XEP-0059)")
struct PageRequestTests {
    @Test(
        "a request is written and read",
        arguments: [
            PageRequest(), PageRequest(.last, limit: 10), PageRequest(.after("a&b"), limit: nil),
            PageRequest(.before("x"), limit: 0), PageRequest(.index(371), limit: 10),
        ])
    func request(_ request: PageRequest) throws { try roundTrip(request) }

    @Test("a description is written and read")
    func info() throws {
        try roundTrip(PageInfo(first: "a", last: "b", index: 10, count: 800))
        try roundTrip(PageInfo())
        try roundTrip(PageInfo(count: 0))
    }

    @Test(
        "T085 numbers that are none, or too large, are left out", arguments: ["-1", "9223372036854775808", "1e3", ""])
    func numbers(_ text: String) throws {
        let set = "<set xmlns='http://jabber.org/protocol/rsm'>"
        let info = try #require(
            PageInfo(try received("\(set)<first index='\(text)'>a</first><count>\(text)</count></set>")))
        #expect(info == PageInfo(first: "a"))
        #expect(PageRequest(try received("\(set)<max>\(text)</max><index>\(text)</index></set>"))?.limit == nil)
    }

    @Test("a negative limit or number asks for nothing and for the beginning")
    func negative() throws {
        #expect(PageRequest(.index(-4), limit: -1).element == PageRequest(.index(0), limit: 0).element)
    }

    @Test("another element is refused")
    func refusal() throws {
        #expect(PageInfo(try received("<set xmlns='urn:example:odd'/>")) == nil)
        #expect(PageRequest(try received("<set xmlns='urn:example:odd'/>")) == nil)
    }
}
