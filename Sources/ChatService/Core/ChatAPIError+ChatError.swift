// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatKit
import XMPP

extension ChatAPIError {
    /// The core's error in the words of the interface; what it says stays as it is.
    init(_ error: ChatError) {
        self.init(Code(error), sentence: error.description, isRetryable: error.isRetryable)
        certificate = error.xmppError?.certificateRefusal.map { CertificateDetails($0) }
        if error.code == .passwordNeeded || error.xmppError?.code == .passwordNeeded {
            hint = "'apus account password JID --local' takes it, and with --keep-password keeps it for the next time"
        }
        if error.code == .unknownRoom {
            hint = "check its address, or make it: 'apus rooms create NAME'; 'apus rooms find' lists public ones"
        }
        if error.description.contains("send it as it is") {
            hint = hint.map { $0 + " (--original)" }
        }
        if error.xmppError?.code == .downgraded, let hint, hint.contains("permit the weaker login once") {
            self.hint = hint + " ('apus account trust JID --weaker-login')"
        }
    }

    /// Why a message of ours, or a file, did not get through.
    init(_ failure: MessageFailure) { self.init(Code(failure), sentence: failure.description) }

    /// Takes a line of the form `cause; next step`, or of two sentences, apart.
    init(_ code: Code, sentence: String, isRetryable: Bool = false) {
        let mark = sentence.firstRange(of: "; ") ?? Self.endOfFirstSentence(sentence)
        let cause = mark.map { String(sentence[..<$0.lowerBound]) } ?? sentence
        var hint = mark.map { Self.clause(String(sentence[$0.upperBound...])) }
        if cause.contains("unless the host is trusted by name") {
            hint = hint ?? "'apus account media JID --host HOST' trusts it"
        }
        self.init(code, Self.clause(cause), hint: hint, isRetryable: isRetryable)
    }

    private static func endOfFirstSentence(_ text: String) -> Range<String.Index>? {
        text.firstRange(of: /\.\s(?=[A-Z])/)
    }

    /// A sentence as it stands within a line: without its full stop, and beginning small where that is no name.
    private static func clause(_ text: String) -> String {
        var text = text
        if text.hasSuffix("."), !text.hasSuffix("..") { text.removeLast() }
        let first = text.prefix { $0 != " " }
        if first.dropFirst().allSatisfy({ $0.isLowercase || $0 == "'" }) {
            text = text.prefix(1).lowercased() + text.dropFirst()
        }
        return text
    }
}
