// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import XMPP

/// The credentials of all accounts: the keys that SCRAM derived, and the password only where the user consented to show it
/// to the server.
///
/// They are in the keyring of the desktop where there is one, and else in a file of mode 0600, which says of the others that
/// they are in the keyring. What the keyring will not keep stays in the file. The keys open this account only; a password
/// often opens more. Confined to the actor that owns it.
struct SecretStore {
    private struct File: Codable {
        var version = 1
        var accounts: [String: Secret] = [:]
        /// Accounts whose secrets are in the keyring.
        var kept: [String]?
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
    private let keeper: (any SecretKeeper)?
    /// The name of the profile in the keyring.
    private let profile: String
    private var accounts: [String: Secret]
    /// Accounts that are in the keyring.
    private var kept: Set<String>
    /// Accounts that are in a keyring which does not give them out now.
    private(set) var unreachable: Set<String> = []

    /// Reads the file, which need not exist, and what the keyring has; what the file has of its own moves there.
    ///
    /// - Throws: ``ChatError/Code/storageFailed`` when the file exists and cannot be read.
    init(path: String, keeper: (any SecretKeeper)? = nil) throws {
        self.path = path
        self.keeper = keeper
        profile = path.split(separator: "/").dropLast().joined(separator: "/")
        (accounts, kept) = ([:], [])
        guard let bytes = try ProfileFolder.readPrivateFile(path) else { return }
        let file: File
        do {
            file = try JSONDecoder().decode(File.self, from: Data(bytes))
        } catch {
            // The cause is left out: it may quote what stands in the file.
            throw ChatError(.storageFailed, "the file \(path) is damaged; remove it and sign in again")
        }
        accounts = file.accounts
        kept = Set(file.kept ?? [])
        for account in kept {
            guard let text = try? keeper?.secret(of: account, profile: profile),
                let secret = try? JSONDecoder().decode(Secret.self, from: Data(text.utf8))
            else {
                unreachable.insert(account)
                continue
            }
            accounts[account] = secret
        }
        guard keeper != nil, !Set(accounts.keys).subtracting(kept).isEmpty else { return }
        for account in accounts.keys where !kept.contains(account) { moveToKeeper(account) }
        try save()
    }

    /// What is known of an account, nil when nothing is.
    func credentials(of account: JID) -> Credentials? {
        guard let secret = accounts[account.description] else { return nil }
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
        var secret = Secret(memory: accounts[account.description]?.memory)
        if let keys = credentials.keys {
            secret.keys = [
                Keys(
                    hash: keys.hashName, salt: keys.salt, iterations: keys.iterations, clientKey: keys.clientKey,
                    serverKey: keys.serverKey)
            ]
        }
        if keepsPassword { secret.password = credentials.password }
        try set(secret, of: account.description)
    }

    /// What logins of an account taught; empty when nothing is known.
    func memory(of account: JID) -> LoginMemory { accounts[account.description]?.memory ?? LoginMemory() }

    /// Replaces what logins of an account taught.
    mutating func set(_ memory: LoginMemory, of account: JID) throws {
        // What cannot be read now must not be replaced by less.
        if unreachable.contains(account.description) { return }
        var secret = accounts[account.description] ?? Secret()
        secret.memory = memory
        try set(secret, of: account.description)
    }

    /// Forgets what logs in; who this client is and what the server can do stays.
    mutating func forgetCredentials(of account: JID) throws {
        guard var secret = accounts[account.description] else { return }
        secret.keys = []
        secret.password = nil
        secret.memory?.forgetToken()
        try set(secret, of: account.description)
    }

    /// Forgets an account.
    mutating func remove(_ account: JID) throws {
        let name = account.description
        let isKept = kept.remove(name) != nil
        unreachable.remove(name)
        guard accounts.removeValue(forKey: name) != nil || isKept else { return }
        if isKept { try? keeper?.forget(name, profile: profile) }
        try save()
    }

    private mutating func set(_ secret: Secret, of account: String) throws {
        accounts[account] = secret
        unreachable.remove(account)
        let wasKept = kept.contains(account)
        moveToKeeper(account)
        // The file says nothing new about what was in the keyring and is there still.
        if wasKept, kept.contains(account) { return }
        try save()
    }

    /// Puts an account into the keyring; one that this does not take stays for the file.
    private mutating func moveToKeeper(_ account: String) {
        guard let keeper, let secret = accounts[account], let data = try? Self.encoder.encode(secret),
            (try? keeper.keep(String(decoding: data, as: UTF8.self), of: account, profile: profile)) != nil
        else {
            kept.remove(account)
            return
        }
        kept.insert(account)
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return encoder
    }

    private func save() throws {
        var file = File()
        file.accounts = accounts.filter { !kept.contains($0.key) }
        if !kept.isEmpty { (file.version, file.kept) = (2, kept.sorted()) }
        try ProfileFolder.writePrivateFile(path, Array(try Self.encoder.encode(file)))
    }
}
