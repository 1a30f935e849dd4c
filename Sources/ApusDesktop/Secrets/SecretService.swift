// SPDX-License-Identifier: Apache-2.0
internal import ApusCSecret
package import ChatKit
internal import Dispatch
internal import Glibc

/// The Secret Service of the desktop, such as GNOME Keyring or KWallet, where it runs and is open.
package struct SecretService: SecretKeeper {
    /// How long an answer is waited for before there counts as none.
    private static let patience = DispatchTimeInterval.seconds(3)

    /// Looks whether a service answers without asking anybody anything; nil when none does within three seconds.
    ///
    /// Blocks meanwhile.
    package static func find() -> SecretService? {
        guard hasBus else { return nil }
        let answer = DispatchSemaphore(value: 0)
        let queue = DispatchQueue(label: "apus.secrets")
        let found = Answer()
        queue.async {
            found.set(apus_secret_answers() != 0)
            answer.signal()
        }
        guard answer.wait(timeout: .now() + patience) == .success, found.isYes else { return nil }
        return SecretService()
    }

    /// Whether there is a bus of the session; without one nothing is started for it.
    private static var hasBus: Bool {
        if getenv("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
        guard let folder = getenv("XDG_RUNTIME_DIR") else { return false }
        return access(String(cString: folder) + "/bus", F_OK) == 0
    }

    package func secret(of account: String, profile: String) throws(ChatError) -> String? {
        var failure: UnsafeMutablePointer<CChar>?
        let found = apus_secret_lookup(profile, account, &failure)
        try Self.check(failure)
        guard let found else { return nil }
        defer { apus_secret_free(found) }
        return String(cString: found)
    }

    package func keep(_ secret: String, of account: String, profile: String) throws(ChatError) {
        try Self.check(apus_secret_store(profile, account, "Apus: \(account)", secret))
    }

    package func forget(_ account: String, profile: String) throws(ChatError) {
        try Self.check(apus_secret_clear(profile, account))
    }

    private static func check(_ failure: UnsafeMutablePointer<CChar>?) throws(ChatError) {
        guard let failure else { return }
        defer { free(failure) }
        throw ChatError(.storageFailed, "the keyring failed: \(String(cString: failure))", isRetryable: true)
    }

    /// What a thread found out.
    private final class Answer: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func set(_ isYes: Bool) { if isYes { semaphore.signal() } }
        var isYes: Bool { semaphore.wait(timeout: .now()) == .success }
    }
}
