// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// The client's side of one SCRAM login (RFC 5802 §5), without a network and without random numbers.
package struct SCRAMStateMachine: Sendable {
    package enum Action: Sendable, Hashable {
        /// Send these bytes as the next SASL response.
        case respond([UInt8])
        /// Derive keys, then call ``keysDerived(_:)``.
        case derive(SCRAMDerivation)
        /// The server proved that it knows the account.
        case verified
        case fail(XMPPError)
    }

    private enum State: Sendable {
        case start
        case firstSent(bare: [UInt8])
        case deriving(bare: [UInt8], serverFirst: [UInt8], nonce: [UInt8])
        case finalSent(signature: [UInt8])
        case done
    }

    private let hash: HashAlgorithm
    private let binding: GS2Binding
    private let user: String
    private let nonce: String
    private let stored: SCRAMKeys?
    private let offer: SASLOffer?
    private let requiresProtection: Bool
    private var state = State.start

    /// Prepares a login.
    ///
    /// `user` is the local part; `nonce` must be fresh, random and printable without a comma. `offer` is what the server
    /// was heard to offer; with `requiresProtection` it has to vouch for that before it gets a proof.
    package init(
        hash: HashAlgorithm, binding: GS2Binding, user: String, nonce: String, stored: SCRAMKeys?,
        offer: SASLOffer? = nil, requiresProtection: Bool = false
    ) {
        self.hash = hash
        self.binding = binding
        self.user = user
        self.nonce = nonce
        self.stored = stored
        self.offer = offer
        self.requiresProtection = requiresProtection
    }

    /// The initial response: `client-first-message`.
    package mutating func start() -> [UInt8] {
        let name = user.replacing("=", with: "=3D").replacing(",", with: "=2C")
        let bare = Array("n=\(name),r=\(nonce)".utf8)
        state = .firstSent(bare: bare)
        return Array(binding.header.utf8) + bare
    }

    /// Takes `server-first-message`, exactly as received.
    package mutating func challenge(_ message: [UInt8]) -> Action {
        guard case .firstSent(let bare) = state else { return reject("it sent one more challenge than SCRAM has") }
        guard message.count <= SCRAMLimits.messageBytes, let fields = Self.fields(message) else {
            return reject("its first message cannot be read")
        }
        if let error = fields.first(where: { $0.0 == UInt8(ascii: "e") }) { return refused(error.1) }
        // RFC 5802 §5.1: a mandatory extension that we do not know ends the login.
        guard fields.count >= 3, fields[0].0 == UInt8(ascii: "r"), fields[1].0 == UInt8(ascii: "s"),
            fields[2].0 == UInt8(ascii: "i"), !fields.dropFirst(3).contains(where: { "rsim".utf8.contains($0.0) })
        else { return reject("its first message has not the fields of SCRAM") }
        let full = fields[0].1
        guard full.starts(with: nonce.utf8), full.count > nonce.utf8.count,
            full.allSatisfy({ $0 >= 0x21 && $0 <= 0x7E && $0 != UInt8(ascii: ",") })
        else { return reject("its nonce does not extend ours") }
        guard let salt = decodeBase64(Array(fields[1].1)), !salt.isEmpty, salt.count <= SCRAMLimits.saltBytes else {
            return reject("its salt cannot be used")
        }
        guard let iterations = SCRAMLimits.iterations(fields[2].1) else {
            return reject("its iteration count is no number")
        }
        guard iterations >= SCRAMLimits.minimumIterations else {
            return reject("it asks for only \(iterations) iterations, fewer than \(SCRAMLimits.minimumIterations)")
        }
        guard iterations <= SCRAMLimits.maximumIterations else {
            return reject("it asks for more than \(SCRAMLimits.maximumIterations) iterations")
        }
        if let error = downgrade(fields.first { $0.0 == UInt8(ascii: "h") }?.1) {
            state = .done
            return .fail(error)
        }
        state = .deriving(bare: bare, serverFirst: message, nonce: Array(full))
        if let stored, stored.hashName == hash.scramName, stored.salt == salt, stored.iterations == iterations {
            return keysDerived(stored)
        }
        return .derive(SCRAMDerivation(hash: hash, salt: salt, iterations: iterations))
    }

    /// Takes the derived keys and answers with `client-final-message`.
    package mutating func keysDerived(_ keys: SCRAMKeys) -> Action {
        guard case .deriving(let bare, let serverFirst, let full) = state else {
            return reject("keys came out of order")
        }
        let bound = base64(Array(binding.header.utf8) + binding.data)
        let withoutProof = Array("c=\(bound),r=".utf8) + full
        let comma = UInt8(ascii: ",")
        let authMessage = bare + [comma] + serverFirst + [comma] + withoutProof
        let storedKey = digest(hash, keys.clientKey)
        let signature = hmac(hash, key: storedKey, authMessage)
        let proof = zip(keys.clientKey, signature).map { $0 ^ $1 }
        state = .finalSent(signature: hmac(hash, key: keys.serverKey, authMessage))
        return .respond(withoutProof + Array(",p=\(base64(proof))".utf8))
    }

    /// Takes `server-final-message`; a login is good only when its signature is right.
    package mutating func finish(_ message: [UInt8]) -> Action {
        guard case .finalSent(let expected) = state else { return reject("it ended the login before our proof") }
        guard message.count <= SCRAMLimits.messageBytes, let fields = Self.fields(message), let first = fields.first
        else { return unverified() }
        if first.0 == UInt8(ascii: "e") { return refused(first.1) }
        guard first.0 == UInt8(ascii: "v"), let signature = decodeBase64(Array(first.1)),
            constantTimeEquals(signature, expected)
        else { return unverified() }
        state = .done
        return .verified
    }

    /// XEP-0474 §5.2: what the server says that it offered has to be what arrived here (T032).
    ///
    /// Whoever changes both is found out by the server, whose `h` is part of what the proof is made over.
    private func downgrade(_ vouched: ArraySlice<UInt8>?) -> XMPPError? {
        guard let offer else { return nil }
        guard let vouched else {
            guard requiresProtection else { return nil }
            return XMPPError(
                .downgraded,
                "the server offers only a weaker login than this account used before, and does not vouch for that; "
                    + "somebody may sit in between. If the server was really changed, permit the weaker login once")
        }
        if let hash = decodeBase64(Array(vouched)), constantTimeEquals(hash, offer.protectionHash(self.hash)) {
            return nil
        }
        return XMPPError(
            .downgraded,
            "the list of logins was changed on its way here: the server offers others than arrived (XEP-0474); "
                + "somebody sits in between, or the server is broken. The password was not used")
    }

    private mutating func unverified() -> Action {
        state = .done
        return .fail(
            XMPPError(
                .serverNotAuthentic, "the server could not prove that it knows this account; it may be another one"))
    }

    private mutating func reject(_ what: String) -> Action {
        state = .done
        return .fail(XMPPError(.authenticationFailed, "the server broke the login: \(what)"))
    }

    private mutating func refused(_ error: ArraySlice<UInt8>) -> Action {
        state = .done
        let name = String(decoding: error.prefix(64), as: UTF8.self)
        switch name {
        case "invalid-proof", "unknown-user", "invalid-username-encoding":
            return .fail(XMPPError(.notAuthorized, "wrong user name or password"))
        case "channel-bindings-dont-match", "channel-binding-not-supported", "server-does-support-channel-binding":
            return .fail(
                XMPPError(
                    .authenticationFailed,
                    "the server sees another TLS channel than we do (\(name)); "
                        + "somebody may sit in between"))
        default:
            return .fail(XMPPError(.authenticationFailed, "the server refused the login: \(name)"))
        }
    }

    /// Splits `a=value,b=value`; nil when a field is not of that form or a name comes twice.
    private static func fields(_ message: [UInt8]) -> [(UInt8, ArraySlice<UInt8>)]? {
        var fields: [(UInt8, ArraySlice<UInt8>)] = []
        for part in message.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard part.count >= 2, let name = part.first, part.dropFirst().first == UInt8(ascii: "="),
                !fields.contains(where: { $0.0 == name })
            else { return nil }
            fields.append((name, part.dropFirst(2)))
        }
        return fields
    }
}
