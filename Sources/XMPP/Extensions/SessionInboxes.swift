// SPDX-License-Identifier: Apache-2.0

/// What extensions keep of messages that are no messages to anybody: answers of archives, for one.
package struct SessionInboxes: Sendable {
    package let archive = ArchiveInbox()

    /// Takes a received message that belongs to an extension alone; true when nobody else is to have it.
    ///
    /// Runs for each message on the stream's thread: a comparison of numbers for each child, and nothing allocated.
    @inline(__always)
    func take(_ message: Message, _ element: Element, own: JID?) -> Bool {
        guard let result = element.child(Archive.result) else { return false }
        archive.take(message, result, own: own)
        return true
    }

    /// A new stream, not a resumed one.
    func streamBegan() { archive.forgetFeatures() }
}
