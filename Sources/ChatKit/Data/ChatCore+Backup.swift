// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import ApusSQLite

extension ChatCore {
    /// Writes a copy of the profile's database, as it is at one moment, to a file that only its owner can read.
    ///
    /// The accounts go on meanwhile. What logs the accounts in is not part of it. A file of that name is replaced, once the
    /// copy is whole.
    ///
    /// - Throws: ``ChatError``: `diskFull`; `storageFailed`, also for a place in the profile's own folder. The file is as it
    ///   was then.
    public func backUp(to path: String) async throws(ChatError) {
        // What has the profile open would go on with a file that has no name any more.
        try folder.refuse(path)
        // A name that nobody has: what else is in that folder is not ours.
        let part = "\(path).\(randomToken().prefix(8)).part"
        do {
            try await store.read { try $0.backUp(to: path, by: part) }
        } catch let error as SQLiteError where error.kind == .cannotOpen {
            throw ChatError(.storageFailed, "cannot write \(path): \(error.message)", underlying: error)
        } catch {
            throw ChatError(error)
        }
    }
}
