// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import XMPP

/// SCRAM as a server speaks it: the first byte chooses hash and binding, then come its messages, one to a line.
func fuzzSCRAM(_ bytes: UnsafeRawBufferPointer) {
    var input = FuzzInput(bytes)
    let kind = input.byte()
    let hash = [HashAlgorithm.sha1, .sha256, .sha512, .sha384][Int(kind & 3)]
    let binding: GS2Binding =
        switch kind >> 2 & 3 {
        case 0: .none
        case 1: .unsupportedByServer
        default: .bound(.exporter, [1, 2, 3])
        }
    let nonce = "fyko+d2lbbFgONRv9qkxdawL"
    var machine = SCRAMStateMachine(hash: hash, binding: binding, user: "a,b=c", nonce: nonce, stored: nil)
    let first = machine.start()
    precondition(first.starts(with: binding.header.utf8))
    var hasAnswered = false
    while !input.isEmpty {
        let message = input.bytes(until: 0x0A)
        var action = hasAnswered && kind & 16 != 0 ? machine.finish(message) : machine.challenge(message)
        if case .derive(let derivation) = action {
            precondition(
                (SCRAMLimits.minimumIterations...SCRAMLimits.maximumIterations).contains(derivation.iterations))
            precondition(!derivation.salt.isEmpty && derivation.salt.count <= SCRAMLimits.saltBytes)
            action = machine.keysDerived(
                SCRAMKeys(
                    hashName: derivation.hash.scramName, salt: derivation.salt, iterations: derivation.iterations,
                    clientKey: [1], serverKey: [2]))
        }
        switch action {
        case .respond(let answer):
            precondition(!hasAnswered, "a second proof")
            hasAnswered = true
            // The nonce of the proof extends ours.
            let text = String(decoding: answer, as: UTF8.self)
            precondition(text.hasPrefix("c=") && text.contains(",r=\(nonce)") && text.contains(",p="))
        case .verified: preconditionFailure("a server without the key was believed")
        case .fail: return
        case .derive: preconditionFailure("keys are derived twice")
        }
    }
}
