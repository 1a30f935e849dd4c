// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP

@Suite("Walking through a long list")
struct PagingStateMachineTests {
    typealias Page = PagingStateMachine.Page

    func page(_ first: String?, _ last: String?, items: Int = 2, new: Int? = nil, complete: Bool? = false) -> Page {
        Page(PageInfo(first: first, last: last), items: items, newItems: new, isComplete: complete)
    }

    @Test("goes forward by the last item and backward by the first, until the list is complete")
    func walks() {
        var forward = PagingStateMachine(PageRequest(limit: 2), pageCap: 10)
        #expect(forward.received(page("a", "b")) == .next(PageRequest(.after("b"), limit: 2)))
        #expect(forward.received(page("c", "d")) == .next(PageRequest(.after("d"), limit: 2)))
        #expect(forward.received(page("e", "e", complete: true)) == .finished)
        var backward = PagingStateMachine(PageRequest(.last, limit: 2), pageCap: 10)
        #expect(backward.received(page("y", "z")) == .next(PageRequest(.before("y"), limit: 2)))
        #expect(backward.received(page("w", "x", complete: true)) == .finished)
    }

    @Test("without a word about the end, an empty page and the numbers of the items tell it")
    func ends() {
        var machine = PagingStateMachine(PageRequest(limit: 10), pageCap: 10)
        #expect(
            machine.received(Page(PageInfo(first: "a", last: "j", index: 0, count: 20), items: 10))
                == .next(PageRequest(.after("j"), limit: 10)))
        #expect(machine.received(Page(PageInfo(first: "k", last: "t", index: 10, count: 20), items: 10)) == .finished)
        var empty = PagingStateMachine(PageRequest(limit: 10), pageCap: 10)
        #expect(empty.received(Page(PageInfo(), items: 0)) == .finished)
        var backward = PagingStateMachine(PageRequest(.last, limit: 10), pageCap: 10)
        #expect(backward.received(Page(PageInfo(first: "a", last: "b", index: 0), items: 2)) == .finished)
        var plain = PagingStateMachine(PageRequest(limit: 10), pageCap: 10)
        #expect(plain.received(Page(PageInfo(), items: 7)) == .finished)
        var counting = PagingStateMachine(PageRequest(limit: 0), pageCap: 10)
        #expect(counting.received(Page(PageInfo(count: 800), items: 0)) == .finished)
    }

    @Test("T108 a cursor that comes again ends the walk")
    func circle() {
        var machine = PagingStateMachine(PageRequest(.after("a"), limit: 2), pageCap: 100)
        #expect(machine.received(page("b", "c")) == .next(PageRequest(.after("c"), limit: 2)))
        #expect(machine.received(page("d", "a")) == .stuck(.cursorComesAgain))
        var twoStep = PagingStateMachine(PageRequest(limit: 2), pageCap: 100)
        _ = twoStep.received(page("a", "b"))
        _ = twoStep.received(page("c", "d"))
        #expect(twoStep.received(page("a", "b")) == .stuck(.cursorComesAgain))
    }

    @Test("T108 a page that brings nothing new ends the walk, whatever its cursor")
    func nothingNew() {
        var machine = PagingStateMachine(PageRequest(limit: 2), pageCap: 100)
        _ = machine.received(page("a", "b"))
        #expect(machine.received(page("a", "b2", new: 0)) == .stuck(.nothingNew))
    }

    @Test("T108 an empty page that is not the end is a gap, and so are pages beyond the cap")
    func gap() {
        var empty = PagingStateMachine(PageRequest(limit: 2), pageCap: 100)
        #expect(empty.received(page(nil, nil, items: 0)) == .stuck(.emptyWithoutEnd))
        var none = PagingStateMachine(PageRequest(limit: 2), pageCap: 100)
        #expect(none.received(Page(PageInfo(count: 0), items: 0, isComplete: false)) == .finished)
        var endless = PagingStateMachine(PageRequest(limit: 1), pageCap: 3)
        #expect(endless.received(page("1", "1")) == .next(PageRequest(.after("1"), limit: 1)))
        #expect(endless.received(page("2", "2")) == .next(PageRequest(.after("2"), limit: 1)))
        #expect(endless.received(page("3", "3")) == .stuck(.tooManyPages))
    }

    @Test("an empty page with a cursor is passed over")
    func emptyWithCursor() {
        var machine = PagingStateMachine(PageRequest(limit: 2), pageCap: 100)
        #expect(machine.received(page(nil, "k", items: 0)) == .next(PageRequest(.after("k"), limit: 2)))
    }
}
