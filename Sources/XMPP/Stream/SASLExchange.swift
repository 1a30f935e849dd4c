// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// One run of one mechanism, whatever elements carry it (RFC 4422 §3).
struct SASLExchange: Sendable {
    enum Step: Sendable {
        case respond([UInt8])
        case derive(SCRAMDerivation)
        case fail(XMPPError)
    }

    enum Mechanism: Sendable {
        /// All is said with the first message; the server proves nothing.
        case single
        case scram(SCRAMStateMachine)
        /// A token; the server has to answer with this proof.
        case token(proof: [UInt8])
    }

    /// SCRAM needs two rounds; a server that asks for more is not speaking it (T041).
    private static var maximumRounds: Int { 4 }

    private var mechanism: Mechanism
    private var rounds = 0
    /// Keys are being derived: nothing may come from the server meanwhile.
    private(set) var awaitsKeys = false
    /// The server proved itself.
    private(set) var isVerified = false

    init(_ mechanism: Mechanism) { self.mechanism = mechanism }

    var isToken: Bool { if case .token = mechanism { true } else { false } }

    /// Takes a challenge; nil stands for one that is no base64.
    mutating func challenge(_ message: [UInt8]?) -> Step {
        rounds += 1
        guard rounds <= Self.maximumRounds else {
            return .fail(XMPPError(.authenticationFailed, "the server broke the login: it never ends"))
        }
        guard case .scram(var machine) = mechanism, let message else {
            return .fail(XMPPError(.authenticationFailed, "the server sent a challenge that cannot be read"))
        }
        let action = machine.challenge(message)
        mechanism = .scram(machine)
        return step(action)
    }

    mutating func keysDerived(_ keys: SCRAMKeys) -> Step? {
        guard awaitsKeys, case .scram(var machine) = mechanism else { return nil }
        awaitsKeys = false
        let action = machine.keysDerived(keys)
        mechanism = .scram(machine)
        return step(action)
    }

    /// Takes what came with the success; gives the reason why that is none.
    mutating func finish(_ message: [UInt8]?) -> XMPPError? {
        if isVerified { return nil }
        switch mechanism {
        case .single: return nil
        case .scram(var machine):
            let verdict = machine.finish(message ?? [])
            mechanism = .scram(machine)
            switch verdict {
            case .verified: isVerified = true
            case .fail(let error): return error
            case .respond, .derive: return XMPPError(.serverNotAuthentic, "the server's proof cannot be read")
            }
            return nil
        case .token(let proof):
            guard let message, constantTimeEquals(message, proof) else {
                return XMPPError(
                    .serverNotAuthentic,
                    "the server could not prove that it gave this account its token; it may be another one")
            }
            isVerified = true
            return nil
        }
    }

    private mutating func step(_ action: SCRAMStateMachine.Action) -> Step {
        switch action {
        case .respond(let bytes): return .respond(bytes)
        case .derive(let derivation):
            awaitsKeys = true
            return .derive(derivation)
        case .fail(let error): return .fail(error)
        case .verified: return .fail(XMPPError(.authenticationFailed, "the server broke the login: it ended too early"))
        }
    }
}
