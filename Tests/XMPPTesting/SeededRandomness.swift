// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import XMPP

/// Tokens and fractions that come out the same in every run.
package final class SeededRandomness: SessionRandomness {
    private let state: Locked<UInt64>

    package init(seed: UInt64 = 1) { state = Locked(seed) }

    private func next() -> UInt64 {
        state.withLock { value in
            value &+= 0x9E37_79B9_7F4A_7C15
            var mixed = value
            mixed = (mixed ^ (mixed &>> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed &>> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed &>> 31)
        }
    }

    package func token() -> String { String(next(), radix: 36) + String(next(), radix: 36) }
    package func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
