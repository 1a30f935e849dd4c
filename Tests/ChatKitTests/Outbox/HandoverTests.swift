// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import ChatKit

@Suite("Handover")
struct HandoverTests {
    @Test("a row is handed over as long as what was read of the outbox is what it has")
    func permits() {
        let handover = Handover()
        let first = handover.version
        #expect(handover.hand(3, asOf: first) == .granted && handover.through == 3)
        #expect(handover.hand(2, asOf: first) == .granted && handover.through == 3)
        handover.beginChange()
        handover.beginChange()
        #expect(handover.hand(4, asOf: first) == .busy)
        handover.endChange()
        #expect(handover.hand(4, asOf: handover.version) == .busy && handover.through == 3)
        handover.endChange()
        #expect(handover.hand(4, asOf: first) == .stale && handover.through == 3)
        #expect(handover.hand(4, asOf: handover.version) == .granted && handover.through == 4)
        handover.reset()
        #expect(handover.through == 0)
    }
}
