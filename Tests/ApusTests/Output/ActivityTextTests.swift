// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import Testing

@testable import apus

@Suite struct ActivityTextTests {
    @Test func `what people did in a room is one line, with few names of each kind`() {
        var people = ["bo", "dee", "eli", "fay", "gus"].map { RoomActivityItem.Person(name: $0, change: .came) }
        people += [
            .init(name: "ida\u{1B}[2J", change: .left), .init(name: "kim", change: .renamed, former: "jo"),
            .init(name: "lee", change: .kicked, reason: "enough"), .init(name: "max", change: .banned),
        ]
        let line = ActivityText.line(people, others: 4)
        #expect(line.hasPrefix("bo, dee, eli and 2 more came; ida"))
        #expect(
            line.hasSuffix("left; jo is kim now; lee was put out (enough); max was banned; 4 more came or went"))
        #expect(!line.contains("\u{1B}"))
    }

    @Test func `a line of which nothing is left says so`() {
        #expect(ActivityText.line([], others: 0) == "nobody came or went")
    }
}
