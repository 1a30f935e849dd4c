// SPDX-License-Identifier: Apache-2.0
package import ApusCrypto

/// The keys that SCRAM derives from a password (RFC 5802 §3): enough to log in, useless for any other service.
public struct SCRAMKeys: Sendable, Hashable {
    /// The hash of the mechanism: `SHA-1`, `SHA-256` or `SHA-512`.
    public let hashName: String
    /// The salt that the server gave.
    public let salt: [UInt8]
    /// The number of iterations that the server asked for.
    public let iterations: Int
    /// Proves to the server that we know the password.
    public let clientKey: [UInt8]
    /// Lets the server prove that it knows it too.
    public let serverKey: [UInt8]

    /// Makes keys that were stored earlier.
    public init(hashName: String, salt: [UInt8], iterations: Int, clientKey: [UInt8], serverKey: [UInt8]) {
        self.hashName = hashName
        self.salt = salt
        self.iterations = iterations
        self.clientKey = clientKey
        self.serverKey = serverKey
    }
}

extension SCRAMKeys: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says what the keys are for; the keys themselves never show.
    public var description: String { "SCRAM keys for \(hashName), \(iterations) iterations" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows nothing of the keys.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HashAlgorithm {
    package var scramName: String {
        switch self {
        case .sha1: "SHA-1"
        case .sha512: "SHA-512"
        default: "SHA-256"
        }
    }

    package init?(scramName: String) {
        switch scramName {
        case "SHA-1": self = .sha1
        case "SHA-256": self = .sha256
        case "SHA-512": self = .sha512
        default: return nil
        }
    }
}

/// The bounds on the work a server may ask of us.
package enum SCRAMLimits {
    /// RFC 7677 §4.
    package static let minimumIterations = 4096
    /// About a third of a second of one core.
    package static let maximumIterations = 500_000
    package static let saltBytes = 1024
    package static let messageBytes = 4096

    /// A decimal number without sign, blank or leading zero; longer ones than any limit saturate.
    package static func iterations(_ digits: ArraySlice<UInt8>) -> Int? {
        guard let first = digits.first, first != UInt8(ascii: "0"), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { return nil }
        guard digits.count <= 10 else { return Int.max }
        return digits.reduce(0) { $0 &* 10 &+ Int($1 &- 0x30) }
    }
}

/// One derivation of keys, to be made away from the stream's thread.
package struct SCRAMDerivation: Sendable, Hashable {
    package var hash: HashAlgorithm
    package var salt: [UInt8]
    package var iterations: Int

    package init(hash: HashAlgorithm, salt: [UInt8], iterations: Int) {
        self.hash = hash
        self.salt = salt
        self.iterations = iterations
    }

    /// Runs PBKDF2; blocks for as long as the iterations take.
    package func keys(password: [UInt8]) -> SCRAMKeys { salted(password: password).keys }

    /// Runs PBKDF2; blocks for as long as the iterations take.
    package func salted(password: [UInt8]) -> SaltedPassword {
        let bytes = pbkdf2(hash, password: password, salt: salt, iterations: iterations)
        let keys = SCRAMKeys(
            hashName: hash.scramName, salt: salt, iterations: iterations,
            clientKey: hmac(hash, key: bytes, Array("Client Key".utf8)),
            serverKey: hmac(hash, key: bytes, Array("Server Key".utf8)))
        return SaltedPassword(bytes: bytes, keys: keys)
    }
}

/// What PBKDF2 made of a password, and the keys that follow from it (RFC 5802 §3).
package struct SaltedPassword: Sendable, Hashable {
    package var bytes: [UInt8]
    package var keys: SCRAMKeys
}
