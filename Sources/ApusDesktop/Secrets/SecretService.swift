// SPDX-License-Identifier: Apache-2.0
internal import ApusCSecret
internal import ApusTransport
package import ChatKit
internal import Dispatch
internal import Glibc

/// The Secret Service of the desktop, such as GNOME Keyring or KWallet, where it runs and is open.
///
/// Each call blocks until it is answered, three seconds at most: one that hangs, or that asks its user something, is given up
/// then.
package struct SecretService: SecretKeeper {
    /// How long an answer is waited for before there counts as none.
    private static let patience = DispatchTimeInterval.seconds(3)
    /// Calls that were given up may be stuck here; nobody waits for them any more.
    private static let queue = DispatchQueue(label: "apus.secrets", attributes: .concurrent)

    /// Looks whether a service answers without asking anybody anything; nil when none does within three seconds.
    package static func find() -> SecretService? {
        guard hasBus, ask({ apus_secret_answers($0.pointer) }) ?? 0 != 0 else { return nil }
        return SecretService()
    }

    /// Whether there is a bus of the session; without one nothing is started for it.
    private static var hasBus: Bool {
        if getenv("DBUS_SESSION_BUS_ADDRESS") != nil { return true }
        guard let folder = getenv("XDG_RUNTIME_DIR") else { return false }
        return access(String(cString: folder) + "/bus", F_OK) == 0
    }

    package func secret(of account: String, profile: String) throws(ChatError) -> String? {
        let reply = Self.ask { stop -> (String?, String?) in
            var failure: UnsafeMutablePointer<CChar>?
            let found = apus_secret_lookup(profile, account, stop.pointer, &failure)
            defer { if let found { apus_secret_free(found) } }
            return (found.map { String(cString: $0) }, Self.text(failure))
        }
        guard let (found, failure) = reply else { throw Self.silent }
        try Self.check(failure)
        return found
    }

    package func keep(_ secret: String, of account: String, profile: String) throws(ChatError) {
        try change { apus_secret_store(profile, account, "Apus: \(account)", secret, $0.pointer) }
    }

    package func forget(_ account: String, profile: String) throws(ChatError) {
        try change { apus_secret_clear(profile, account, $0.pointer) }
    }

    private func change(
        _ call: @escaping @Sendable (Stop) -> UnsafeMutablePointer<CChar>?
    ) throws(ChatError) {
        guard let failure = Self.ask({ Self.text(call($0)) }) else { throw Self.silent }
        try Self.check(failure)
    }

    /// Waits for a call, and cancels one that takes too long; nil then.
    static func ask<Reply: Sendable>(
        within patience: DispatchTimeInterval = patience, _ call: @escaping @Sendable (Stop) -> Reply
    ) -> Reply? {
        let (stop, reply, answered) = (Stop(), Locked<Reply?>(nil), DispatchSemaphore(value: 0))
        queue.async {
            let answer = call(stop)
            reply.withLock { $0 = answer }
            answered.signal()
        }
        guard answered.wait(timeout: .now() + patience) == .success else {
            stop.now()
            return nil
        }
        return reply.withLock { $0 }
    }

    private static func text(_ failure: UnsafeMutablePointer<CChar>?) -> String? {
        guard let failure else { return nil }
        defer { free(failure) }
        return String(cString: failure)
    }

    private static func check(_ failure: String?) throws(ChatError) {
        guard let failure else { return }
        throw ChatError(.storageFailed, "the keyring failed: \(failure)", isRetryable: true)
    }

    private static var silent: ChatError {
        ChatError(.storageFailed, "the keyring does not answer", isRetryable: true)
    }

    /// Ends a call from another thread.
    // Unchecked: the library allows both calls from any thread.
    final class Stop: @unchecked Sendable {
        let pointer = g_cancellable_new()

        deinit { g_object_unref(pointer) }

        func now() { g_cancellable_cancel(pointer) }
        var isNow: Bool { g_cancellable_is_cancelled(pointer) != 0 }
    }
}
