// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChatKit

@Suite("CircleCheck")
struct CircleCheckTests {
    @Test("T108 a circle of any length is noticed within a few rounds, and a way that never returns is none")
    func circles() {
        for lead in [0, 1, 5, 100] {
            for length in [1, 2, 3, 10, 257] {
                var check = CircleCheck()
                let most = 4 * (lead + length) + 4
                let step = (0..<most).first { place in
                    let number = place < lead ? place : lead + (place - lead) % length
                    return check.isClosed(by: "p\(number)")
                }
                #expect(step != nil, "\(lead) \(length)")
            }
        }
        var check = CircleCheck()
        #expect(!(0..<10_000).contains { check.isClosed(by: "p\($0)") })
    }
}
