// SPDX-License-Identifier: Apache-2.0

/// A place outside of the profile that keeps what logs accounts in, such as the keyring of a desktop.
///
/// Calls may block for a moment, on a queue of the profile's own; they come one after another, and everything that the
/// profile has to do for its accounts waits meanwhile.
public protocol SecretKeeper: Sendable {
    /// What is kept of an account; nil when nothing is.
    func secret(of account: String, profile: String) throws(ChatError) -> String?
    /// Keeps something of an account in the place of what was kept before.
    func keep(_ secret: String, of account: String, profile: String) throws(ChatError)
    /// Forgets an account; one that is not kept changes nothing.
    func forget(_ account: String, profile: String) throws(ChatError)
}
