// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// What extensions keep of messages that are no messages to anybody: answers of archives, events of nodes.
package struct SessionInboxes: Sendable {
    package let archive = ArchiveInbox()
    let events = Publisher<NodeEvent>(merge: { NodeEvent.merge(&$0, $1) })
    let closedNodes = ClosedNodes()
    /// Where files are uploaded to, once it was found out.
    let uploadService = Locked<UploadService?>(nil)
    let transfers = FileTransferBook()
    /// What each available presence says about one's own picture; nil says nothing.
    let ownAvatar = Locked<AvatarAnnouncement?>(nil)

    /// Takes a received message that belongs to an extension alone; true when nobody else is to have it.
    ///
    /// Runs for each message on the stream's thread: a comparison of numbers for each child, and nothing allocated.
    @inline(__always)
    func take(_ message: Message, _ element: Element, own: JID?) -> Bool {
        if let result = element.child(Archive.result) {
            archive.take(message, result, own: own)
            return true
        }
        guard let event = element.child(PubSub.event) else { return false }
        return take(message, event: event)
    }

    /// What breaks the rules of events is no message either (T143), unless it says something to a person, too.
    private func take(_ message: Message, event: Element) -> Bool {
        if let event = NodeEvent(message, event) { _ = events.publish([event]) }
        return message.body == nil
    }

    /// A new stream, not a resumed one.
    func streamBegan() {
        archive.forgetFeatures()
        closedNodes.forgetAll()
        uploadService.withLock { $0 = nil }
        transfers.failAll(XMPPError(.connectionLost, "the connection was lost during the transfer", isRetryable: true))
    }

    /// The session ended.
    func finish(_ error: XMPPError?) {
        events.finish(error)
        transfers.failAll(error ?? XMPPError(.disconnected, "the session was disconnected"))
        transfers.offers.finish(error)
    }
}
