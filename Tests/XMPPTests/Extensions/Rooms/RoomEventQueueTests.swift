// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

@Suite("What a reader of a room has not seen yet")
struct RoomEventQueueTests {
    func who(_ nickname: String, _ status: String? = nil) throws -> RoomOccupant {
        RoomOccupant(address: try JID("tearoom@rooms.example.org").with(resource: nickname), status: status)
    }

    func told(_ queue: inout RoomEventQueue) -> [String] {
        queue.take().map { event in
            switch event {
            case .joined(let who): "+\(who.nickname) \(who.status ?? "")"
            case .changed(let who): "=\(who.nickname) \(who.status ?? "")"
            case .left(let who, _): "-\(who.nickname)"
            case .renamed(let old, let who): "\(old)>\(who.nickname)"
            case .nickname(let name): name
            default: "?"
            }
        }
    }

    @Test("T136 of one occupant the last word is kept, in the place of the first")
    func merged() throws {
        var queue = RoomEventQueue()
        queue.occupant(.came(try who("bo")))
        queue.occupant(.changed(try who("eli", "1")))
        queue.add(.nickname("x"))
        queue.occupant(.changed(try who("bo", "2")))
        queue.occupant(.changed(try who("eli", "3")))
        #expect(queue.count == 3 && queue.lasting == 1)
        #expect(told(&queue) == ["+bo 2", "=eli 3", "x"])
        #expect(queue.count == 0 && queue.lasting == 0)
    }

    @Test("whoever came and went was never there; whoever went and another came is told both")
    func cameAndWent() throws {
        var queue = RoomEventQueue()
        queue.occupant(.came(try who("bo")))
        queue.add(.nickname("x"))
        queue.occupant(.left(try who("bo"), .left(nil)))
        queue.occupant(.left(try who("eli"), .left(nil)))
        queue.occupant(.came(try who("eli", "another")))
        queue.occupant(.changed(try who("kim")))
        queue.occupant(.left(try who("kim"), .left(nil)))
        #expect(told(&queue) == ["x", "-eli", "+eli another", "-kim"])
        queue.occupant(.left(try who("eli"), .left(nil)))
        queue.occupant(.came(try who("eli")))
        queue.occupant(.left(try who("eli"), .left(nil)))
        queue.occupant(.came(try who("eli")))
        queue.occupant(.left(try who("eli"), .left(nil)))
        #expect(told(&queue) == ["-eli"])
    }

    @Test("a chain of nicknames is one change, from the first to the last")
    func renamed() throws {
        var queue = RoomEventQueue()
        let (a, b, c) = (try who("a"), try who("b"), try who("c"))
        queue.occupant(.renamed(from: a.address, b))
        queue.occupant(.renamed(from: b.address, c))
        queue.occupant(.changed(try who("c", "now")))
        #expect(told(&queue) == ["a>c"])
        queue.occupant(.came(a))
        queue.occupant(.renamed(from: a.address, b))
        #expect(told(&queue) == ["+b "])
        queue.occupant(.renamed(from: a.address, b))
        queue.occupant(.left(b, .left(nil)))
        queue.occupant(.came(b))
        #expect(told(&queue) == ["-a", "+b "])
        queue.occupant(.changed(a))
        queue.occupant(.renamed(from: a.address, b))
        queue.occupant(.came(a))
        #expect(told(&queue) == ["a>b", "+a "])
    }

    @Test("T136 a hundred thousand presences of five thousand people wait as five thousand changes at most")
    func bounded() throws {
        var queue = RoomEventQueue()
        let people = try (0..<5000).map { try who("n\($0)") }
        var most = 0
        for round in 0..<10 {
            for person in people {
                queue.occupant(.came(person))
                most = max(most, queue.count)
                if round.isMultiple(of: 2) {
                    queue.occupant(.left(person, .left(nil)))
                } else {
                    queue.occupant(.changed(person))
                }
            }
        }
        #expect(most <= 5000 && queue.lasting == 0)
        #expect(queue.take().count == 5000)
    }
}
