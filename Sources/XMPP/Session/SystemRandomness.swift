// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// Randomness from the system's generator.
package struct SystemRandomness: SessionRandomness {
    package init() {}
    package func token() -> String { randomToken() }
    package func fraction() -> Double { Double.random(in: 0..<1) }
}
