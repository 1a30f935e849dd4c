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
}
