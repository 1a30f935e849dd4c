// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import XMPP

/// The credentials of all accounts in one file of mode 0600: the keys that SCRAM derived, and the password only where
/// the user consented to show it to the server.
///
/// The keys open this account only; a password often opens more. Confined to the actor that owns it.
struct SecretStore {
    private struct File: Codable {
        var version = 1
        var accounts: [String: Secret] = [:]
    }

    /// What is kept of one account.
    private struct Secret: Codable {
        var keys: [Keys] = []
        var password: String?
        /// Holds a token that stands for the password.
        var memory: LoginMemory?
    }

    private struct Keys: Codable, Equatable {
        var hash: String
        var salt: [UInt8]
        var iterations: Int
        var clientKey: [UInt8]
        var serverKey: [UInt8]
    }

    private let path: String
    private var file: File

    /// Reads the file, which need not exist.
    ///
    /// - Throws: ``ChatError/Code/storageFailed`` when it exists and cannot be read.
    init(path: String) throws {
        self.path = path
        guard let bytes = try ProfileFolder.readPrivateFile(path) else {
            file = File()
            return
        }
        do {
            file = try JSONDecoder().decode(File.self, from: Data(bytes))
        } catch {
            // The cause is left out: it may quote what stands in the file.
            throw ChatError(.storageFailed, "the file \(path) is damaged; remove it and sign in again")
        }
    }

    /// What is known of an account, nil when nothing is.
    func credentials(of account: JID) -> Credentials? {
        guard let secret = file.accounts[account.description] else { return nil }
        let keys = secret.keys.last.map {
            SCRAMKeys(
                hashName: $0.hash, salt: $0.salt, iterations: $0.iterations, clientKey: $0.clientKey,
                serverKey: $0.serverKey)
        }
        if secret.password == nil, keys == nil { return nil }
        return Credentials(password: secret.password, keys: keys)
    }

    /// Replaces what is known of an account.
    ///
    /// - Parameter keepsPassword: Set only where the user consented to PLAIN.
    mutating func set(_ credentials: Credentials, of account: JID, keepsPassword: Bool) throws {
        var secret = Secret(memory: file.accounts[account.description]?.memory)
        if let keys = credentials.keys {
            secret.keys = [
                Keys(
                    hash: keys.hashName, salt: keys.salt, iterations: keys.iterations, clientKey: keys.clientKey,
                    serverKey: keys.serverKey)
            ]
        }
        if keepsPassword { secret.password = credentials.password }
        file.accounts[account.description] = secret
        try save()
    }

    /// What logins of an account taught; empty when nothing is known.
    func memory(of account: JID) -> LoginMemory { file.accounts[account.description]?.memory ?? LoginMemory() }

    /// Replaces what logins of an account taught.
    mutating func set(_ memory: LoginMemory, of account: JID) throws {
        file.accounts[account.description, default: Secret()].memory = memory
        try save()
    }

    /// Forgets what logs in; who this client is and what the server can do stays.
    mutating func forgetCredentials(of account: JID) throws {
        guard var secret = file.accounts[account.description] else { return }
        secret.keys = []
        secret.password = nil
        secret.memory?.forgetToken()
        file.accounts[account.description] = secret
        try save()
    }

    /// Forgets an account.
    mutating func remove(_ account: JID) throws {
        guard file.accounts.removeValue(forKey: account.description) != nil else { return }
        try save()
    }

    private func save() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let bytes = Array(try encoder.encode(file))
        try ProfileFolder.writePrivateFile(path, bytes)
    }
}
