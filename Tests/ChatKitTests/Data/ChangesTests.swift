// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChatKit

@Suite("Changes")
struct ChangesTests {
    private struct Row: Identifiable, Hashable {
        let id: Int
        var text = ""
    }

    private func changes(_ old: [Row], _ new: [Row]) -> Changes<Row> { Changes(from: old, to: new) }

    @Test("rows are told apart by identifier and compared by value")
    func difference() {
        let old = [Row(id: 1), Row(id: 2), Row(id: 3)]
        let new = [Row(id: 4), Row(id: 1), Row(id: 3, text: "x")]
        let result = changes(old, new)
        #expect(result.rows == new)
        #expect(result.inserted.map(\.id) == [4])
        #expect(result.updated.map(\.id) == [3])
        #expect(result.removed == [2])
    }

    @Test("equal lists are no difference; a new order names as few rows as explain it")
    func moved() {
        let rows = (1...6).map { Row(id: $0) }
        #expect(changes(rows, rows).isEmpty)
        #expect(changes([rows[0], rows[1]], [rows[1], rows[0]]).moved.count == 1)
        let order = [6, 1, 2, 7, 4, 3].map { Row(id: $0) }
        let result = changes(rows, order)
        #expect(result.moved == [6, 4] || result.moved == [6, 3])
        #expect(result.inserted.map(\.id) == [7] && result.removed == [5] && result.updated.isEmpty)
        #expect(!result.isEmpty)
    }

    @Test("from nothing everything is inserted; to nothing everything is removed")
    func edges() {
        let rows = [Row(id: 1), Row(id: 2)]
        #expect(changes([], rows).inserted == rows)
        #expect(changes(rows, []).removed == [1, 2])
    }

    @Test("any two lists: what is told turns the one into the other, and moves as few rows as can be")
    func anyLists() {
        var random = SplitMix(state: 7)
        for _ in 0..<2000 {
            let size = Int(random.next() % 12)
            let old = Array(0..<size).shuffled(using: &random).map { Row(id: $0) }
            var new = old.filter { _ in random.next() % 4 != 0 }
            if random.next() % 2 == 0 { new.shuffle(using: &random) }
            for index in new.indices where random.next() % 3 == 0 { new[index].text = "changed" }
            for number in 0..<Int(random.next() % 4) {
                new.insert(Row(id: 100 + number), at: Int(random.next() % UInt64(new.count + 1)))
            }
            let result = changes(old, new)
            // Those that stay where they are, in the old order; everything else goes to where the new list has it.
            let gone = Set(result.removed + result.moved)
            var rows = old.map(\.id).filter { !gone.contains($0) }
            let rest = Set(result.inserted.map(\.id) + result.moved)
            for (place, row) in new.enumerated() where rest.contains(row.id) { rows.insert(row.id, at: place) }
            #expect(rows == new.map(\.id))
            let known = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
            #expect(
                result.updated
                    == new.filter { known[$0.id].map { old in old.text != "changed" } == true && $0.text == "changed" })
            let stayed = new.compactMap { row in old.firstIndex { $0.id == row.id } }
            #expect(result.moved.count == stayed.count - Self.longestAscent(stayed))
            #expect(Set(result.moved).count == result.moved.count)
        }
    }

    /// The length of the longest ascending run, the slow and simple way.
    private static func longestAscent(_ numbers: [Int]) -> Int {
        var best: [Int] = []
        for (index, number) in numbers.enumerated() {
            let before = (0..<index).filter { numbers[$0] < number }.map { best[$0] }.max() ?? 0
            best.append(before + 1)
        }
        return best.max() ?? 0
    }
}
