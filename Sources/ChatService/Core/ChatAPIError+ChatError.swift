// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import ChatAPI
import ChatKit
import XMPP

extension ChatAPIError {
    /// The core's error in the words of the interface; what it says stays as it is.
    init(_ error: ChatError) {
        self.init(Code(error), sentence: error.description, isRetryable: error.isRetryable)
        certificate = error.xmppError?.certificateRefusal.map { CertificateDetails($0) }
        if error.xmppError?.code == .downgraded, let hint, hint.contains("permit the weaker login once") {
            self.hint = hint + " ('apus account trust JID --weaker-login')"
        }
    }

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

extension ChatAPIError.Code {
    init(_ error: ChatError) {
        switch error.code {
        case .profileInUse: self = .busy
        case .storageFailed, .diskFull, .profileDamaged, .newerProfile: self = .storage
        case .closed: self = .leaving
        case .unknownAccount: self = .unknownAccount
        case .accountExists, .alreadyContact, .roomExists: self = .conflict
        case .invalidAddress, .cannotAddYourself, .emptyMessage, .unsendableText: self = .invalidArgument
        case .messageTooLong, .fileTooLarge: self = .tooLarge
        case .fileUnusable: self = .invalidArgument
        case .notUnderWay: self = .conflict
        case .unknownContact, .unknownRequest, .unknownMessage, .unknownConversation, .unknownMember, .noRoomService,
            .unknownFile:
            self = .notFound
        case .notConnected: self = .network
        case .requestFailed, .roomRefused: self = .refused
        case .notFailed, .notWaiting: self = .conflict
        case .passwordNeeded: self = .authentication
        case .cancelled: self = .cancelled
        default: self = error.xmppError.map { Self(protocol: $0) } ?? .fault
        }
    }

    /// The code of an error of the protocol library.
    private init(protocol error: XMPPError) {
        switch error.code {
        case .connectionFailed, .connectionLost, .disconnected, .tlsNotOffered, .streamError, .protocolViolation:
            self = .network
        case .tlsFailed: self = Self.isAboutCertificate(error) ? .certificate : .network
        case .timedOut: self = .timeout
        case .noUsableMechanism, .notAuthorized, .accountDisabled, .authenticationFailed, .serverNotAuthentic,
            .downgraded, .passwordNeeded:
            self = .authentication
        case .bindFailed, .replaced, .requestFailed, .undeliverable, .notSupported, .invalidReply: self = .refused
        case .invalidArgument, .unsendableText: self = .invalidArgument
        case .storeFailed: self = .storage
        case .nameTaken: self = .conflict
        case .nameNotAcceptable, .passwordNotAcceptable, .registrationClosed, .registrationElsewhere, .tooManyAttempts:
            self = .refused
        case .detailsNotAcceptable: self = .registrationFields
        case .badURL, .forbiddenAddress, .httpRefused, .contentMismatch: self = .refused
        case .transferFailed: self = .network
        case .fileTooLarge: self = .tooLarge
        default: self = .fault
        }
    }

    private static func isAboutCertificate(_ error: XMPPError) -> Bool {
        guard let transport = error.underlying as? TransportError, case .tls(let tls) = transport.code else {
            return false
        }
        switch tls.code {
        case .expired, .notYetValid, .selfSigned, .unknownAuthority, .nameMismatch, .revoked, .unsuitableCertificate,
            .notPinned, .keyNotPinned, .unreadableAuthority, .unreadableClientCertificate:
            return true
        default: return false
        }
    }
}
