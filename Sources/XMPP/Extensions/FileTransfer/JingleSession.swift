// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// One session with one other side, by its full address: nobody else has a part in it (XEP-0166 §5).
///
/// Owner of its state: its lock.
final class JingleSession: Sendable {
    let peer: JID
    let sid: String
    /// What the other side did, for the task that drives the transfer.
    let news = TransferMailbox<JingleStateMachine.Effect>()
    private let machine: Locked<JingleStateMachine>
    private let incoming = Locked<IncomingFile?>(nil)

    init(_ machine: JingleStateMachine, peer: JID) {
        self.peer = peer
        sid = machine.sid
        self.machine = Locked(machine)
    }

    var content: JingleContent { machine.withLock { $0.content } }
    var hasEnded: Bool { machine.withLock { $0.phase == .ended } }

    func decide<Result>(_ decision: (inout JingleStateMachine) -> Result) -> Result { machine.withLock(decision) }

    /// The file that the session is about comes there.
    func attach(_ file: IncomingFile) { incoming.withLock { $0 = file } }

    /// A step of the other side, on the stream's thread.
    func received(_ jingle: Jingle, _ session: XMPPSession?) -> RequestAnswer {
        switch machine.withLock({ $0.received(jingle) }) {
        case .refuse(let error): return .error(error)
        case .acknowledge(let effects):
            for effect in effects {
                switch effect {
                case .send(let step): send(step, session)
                case .checksum(let hashes): incoming.withLock { $0 }?.told(hashes)
                case .ended(let reason):
                    incoming.withLock { $0 }?.fail(XMPPError.ended(reason, peer))
                    news.post(effect)
                case .accepted, .replaced, .received: news.post(effect)
                }
            }
            return .result(nil)
        }
    }

    /// Sends a step beside whatever else happens; what it is answered does not matter.
    func send(_ step: Jingle, _ session: XMPPSession?) {
        guard let session else { return }
        Task.detached { [peer] in _ = try? await session.set(step.element, to: peer) }
    }

    /// Ends the session, once.
    func end(_ reason: JingleReason, _ session: XMPPSession?) {
        guard let step = machine.withLock({ $0.terminate(reason) }) else { return }
        send(step, session)
    }

    func fail(_ error: XMPPError) {
        _ = machine.withLock { $0.terminate(.failedTransport) }
        incoming.withLock { $0 }?.fail(error)
        news.post(.ended(JingleReason("connectivity-error")))
    }
}

extension XMPPError {
    /// Why the other side ended a transfer.
    static func ended(_ reason: JingleReason, _ peer: JID) -> XMPPError {
        let words = reason.text.map { ": \($0)" } ?? ""
        switch reason.condition {
        case "success": return XMPPError(.transferFailed, "\(peer) ended the transfer before it was complete")
        case "decline", "busy": return XMPPError(.offerDeclined, "\(peer) does not want the file\(words)")
        case "cancel", "gone": return XMPPError(.transferCancelled, "\(peer) gave the transfer up\(words)")
        case "timeout", "expired":
            return XMPPError(.timedOut, "\(peer) waited too long\(words)", isRetryable: true)
        case "unsupported-applications", "unsupported-transports", "incompatible-parameters":
            return XMPPError(.notSupported, "\(peer) cannot take files this way\(words)")
        default: return XMPPError(.transferFailed, "\(peer) ended the transfer: \(reason.condition)\(words)")
        }
    }

    /// What to tell the other side about a failure of ours.
    var jingleReason: JingleReason {
        switch code {
        case .timedOut: .timeout
        case .contentMismatch: JingleReason("media-error", text: description)
        case .fileUnusable, .fileTooLarge: JingleReason("failed-application")
        case .transferFailed: .failedTransport
        default: JingleReason("general-error")
        }
    }
}

/// Why a file did not get from one program to the other (XEP-0234, XEP-0096).
extension XMPPError.Code {
    /// The other side does not want the file.
    public static let offerDeclined = Self(rawValue: "offerDeclined")
    /// The other side gave up in the middle.
    public static let transferCancelled = Self(rawValue: "transferCancelled")
    /// The offer is not open any more.
    public static let offerExpired = Self(rawValue: "offerExpired")
}
