// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ApusCrypto

@Suite struct RandomTests {
    @Test func `random bytes come in the wanted number and differ`() {
        #expect(randomBytes(0).isEmpty)
        #expect(randomBytes(-1).isEmpty)
        #expect(randomBytes(33).count == 33)
        #expect(randomBytes(16) != randomBytes(16))
    }

    @Test func `tokens are 22 URL-safe characters, all different`() {
        var seen: Set<String> = []
        for _ in 0..<5000 {
            let token = randomToken()
            #expect(token.utf8.count == 22)
            seen.insert(token)
        }
        #expect(seen.count == 5000)
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        #expect(seen.reduce(into: Set()) { $0.formUnion($1) } == alphabet)
    }

    @Test func `every character of a token but the two short ones takes all 64 values`() {
        var values = [Set<UInt8>](repeating: [], count: 22)
        var bytes: [UInt8] = []
        for _ in 0..<5000 {
            bytes.removeAll(keepingCapacity: true)
            appendRandomToken(to: &bytes)
            for (index, byte) in bytes.enumerated() { values[index].insert(byte) }
        }
        // 20 x 6 bits and 2 x 4 bits: 128 random bits.
        #expect(values.map(\.count) == [Int](repeating: 64, count: 20) + [16, 16])
    }

    @Test func `tokens taken by many tasks at once are all different`() async {
        let all = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 { group.addTask { (0..<1000).map { _ in randomToken() } } }
            return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(all.count == 8000)
    }
}
