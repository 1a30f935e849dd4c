// SPDX-License-Identifier: Apache-2.0
@testable import ApusTransport
import Testing

@Suite("ServiceRecord")
struct ServiceRecordTests {
    private func record(_ priority: UInt16, _ weight: UInt16, _ host: String, direct: Bool = false) -> ServiceRecord {
        ServiceRecord(
            priority: priority, weight: weight, endpoint: Endpoint(host: host, port: 5222, usesDirectTLS: direct))
    }

    private func hosts(_ records: [ServiceRecord], limit: Int = 100, seed: UInt64 = 1) -> [String] {
        var generator = SeededGenerator(seed: seed)
        return ServiceRecord.order(records, limit: limit, using: &generator).map(\.host)
    }

    @Test("lower priorities come first, both services in one list", arguments: 0..<20 as Range<UInt64>)
    func priorities(seed: UInt64) {
        let records = [
            record(30, 9, "c"), record(10, 0, "a", direct: true), record(20, 5, "b"), record(10, 0, "a"),
        ]
        #expect(hosts(records, seed: seed).sorted() == ["a", "a", "b", "c"])
        #expect(hosts(records, seed: seed).suffix(2) == ["b", "c"])
    }

    @Test("weights give the odds of the first place")
    func weights() {
        let records = [record(1, 60, "heavy"), record(1, 30, "middle"), record(1, 10, "light"), record(1, 0, "none")]
        var firsts: [String: Int] = [:]
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<10_000 {
            let first = ServiceRecord.order(records, limit: 9, using: &generator)[0].host
            firsts[first, default: 0] += 1
        }
        #expect((5700...6300).contains(firsts["heavy"] ?? 0))
        #expect((2700...3300).contains(firsts["middle"] ?? 0))
        #expect((800...1200).contains(firsts["light"] ?? 0))
        // RFC 2782: "a very small chance".
        #expect((1...250).contains(firsts["none"] ?? 0))
    }

    @Test("each record of a priority gets its place")
    func allPlaces() {
        let records = (0..<20).map { record(1, UInt16($0 * 100), "h\($0)") }
        #expect(Set(hosts(records)) == Set(records.map(\.endpoint.host)))
        #expect(hosts(records, seed: 1) == hosts(records, seed: 1))
        #expect(hosts(records, seed: 1) != hosts(records, seed: 2))
    }

    @Test("T004 of 10 000 records at most the limit is tried, of the best priority first")
    func manyRecords() {
        let records = (0..<10_000).map { record(UInt16(10_000 - $0), 65535, "h\($0)") }
        #expect(hosts(records, limit: 16) == (0..<16).map { "h\(9999 - $0)" })
        let equal = (0..<10_000).map { record(5, 65535, "h\($0)") }
        #expect(Set(hosts(equal, limit: 16)).count == 16)
    }

    @Test("T004 duplicates are tried once, at the better place")
    func duplicates() {
        let records = [record(5, 0, "a"), record(1, 0, "b"), record(1, 0, "b"), record(9, 0, "b"), record(5, 7, "a")]
        #expect(hosts(records) == ["b", "a"])
    }
}
