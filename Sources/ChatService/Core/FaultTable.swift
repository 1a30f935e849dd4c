// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import ChatAPI
import ChatKit
import XMPP

/// What a failure is to those who use the interface, whatever they asked for: the only place that says so.
///
/// `docs/CLI.md` has the exit statuses that follow from it.
extension ChatAPIError.Code {
    init(_ error: ChatError) {
        if let xmpp = error.xmppError, xmpp.code.rawValue == error.code.rawValue {
            self.init(protocol: xmpp)
        } else {
            self = Self.ofCore[error.code] ?? .fault
        }
    }

    /// The code of a message that did not get through.
    init(_ failure: MessageFailure) {
        self =
            Self.ofMessages[failure.reason] ?? Self(condition: StanzaError.Condition(name: failure.reason.rawValue))
    }

    private init(protocol error: XMPPError) {
        if let refusal = error.roomRefusal {
            self.init(refusal)
        } else if error.code == .requestFailed, let condition = error.stanzaError?.condition {
            self.init(condition: condition)
        } else if error.code == .tlsFailed {
            self = Self.isAboutCertificate(error) ? .certificate : .network
        } else {
            self = Self.ofProtocol[error.code] ?? .fault
        }
    }

    private init(_ refusal: RoomRefusal) {
        switch refusal {
        case .notFound, .creationForbidden, .gone: self = .notFound
        case .nicknameInUse: self = .conflict
        case .unreachable: self = .network
        case .timedOut: self = .timeout
        case .invalidNickname: self = .invalidArgument
        case .other(let error): self.init(condition: error.condition)
        case .passwordRequired, .membersOnly, .banned, .full, .reservedNicknameRequired, .busy: self = .refused
        }
    }

    /// What the other side of a request answered.
    init(condition: StanzaError.Condition) {
        switch condition {
        case .itemNotFound, .gone: self = .notFound
        case .conflict: self = .conflict
        case .remoteServerNotFound: self = .network
        case .remoteServerTimeout: self = .timeout
        case .jidMalformed: self = .invalidArgument
        default: self = .refused
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

    static let ofCore: [ChatError.Code: Self] = [
        .profileInUse: .busy, .closed: .leaving, .cancelled: .cancelled, .other: .fault,
        .storageFailed: .storage, .diskFull: .storage, .profileDamaged: .storage, .newerProfile: .storage,
        .unknownAccount: .unknownAccount, .accountExists: .conflict, .passwordNeeded: .authentication,
        .invalidAddress: .invalidArgument, .cannotAddYourself: .invalidArgument, .ambiguousName: .invalidArgument,
        .alreadyContact: .conflict, .unknownContact: .notFound, .unknownRequest: .notFound,
        .unknownMessage: .notFound, .unknownConversation: .notFound, .emptyMessage: .invalidArgument,
        .messageTooLong: .tooLarge, .unsendableText: .invalidArgument, .notFailed: .conflict,
        .notChangeable: .conflict, .notWaiting: .conflict, .invalidExport: .invalidArgument,
        .fileUnusable: .notFound, .fileTooLarge: .tooLarge, .unknownFile: .notFound, .notUnderWay: .conflict,
        .pictureNotAcceptable: .invalidArgument, .pictureTooLarge: .tooLarge, .pictureWorkerMissing: .unsupported,
        .pictureWorkerFailed: .fault, .notConnected: .network, .requestFailed: .refused,
        .noRoomService: .notFound, .roomExists: .conflict, .roomRefused: .refused, .unknownMember: .notFound,
        .unknownRoom: .notFound, .notInRoom: .refused, .roomNotReady: .timeout,
    ]

    static let ofMessages: [MessageFailure.Reason: Self] = [
        .expired: .timeout, .undeliverable: .refused, .discarded: .refused, .unsendable: .invalidArgument,
        .fileFailed: .refused, .fileTooLarge: .tooLarge, .accountRemoved: .unknownAccount,
    ]

    static let ofProtocol: [XMPPError.Code: Self] = [
        .notConnected: .network, .connectionFailed: .network, .connectionLost: .network, .disconnected: .network,
        .tlsFailed: .network, .tlsNotOffered: .network, .streamError: .network, .protocolViolation: .network,
        .redirected: .network, .offerChanged: .network, .transferFailed: .network,
        .timedOut: .timeout, .offerExpired: .timeout, .notReflected: .timeout,
        .noUsableMechanism: .authentication, .notAuthorized: .authentication, .accountDisabled: .authentication,
        .authenticationFailed: .authentication, .serverNotAuthentic: .authentication, .downgraded: .authentication,
        .taskRequired: .authentication, .passwordNeeded: .authentication,
        .bindFailed: .refused, .replaced: .refused, .requestFailed: .refused, .undeliverable: .refused,
        .notSupported: .refused, .invalidReply: .refused, .listIncomplete: .refused, .notPrivate: .refused,
        .archivePositionUnknown: .notFound, .commandExpired: .refused, .offerDeclined: .refused,
        .transferCancelled: .refused,
        .invalidArgument: .invalidArgument, .unsendableText: .invalidArgument, .invalidAddress: .invalidArgument,
        .yourself: .invalidArgument, .alreadySubscribed: .conflict, .alreadyRequested: .conflict,
        .storeFailed: .storage,
        .nameTaken: .conflict, .nameNotAcceptable: .refused, .passwordNotAcceptable: .refused,
        .registrationClosed: .refused, .registrationElsewhere: .refused, .tooManyAttempts: .refused,
        .invitationInvalid: .refused, .detailsNotAcceptable: .registrationFields,
        .badURL: .refused, .forbiddenAddress: .refused, .httpRefused: .refused, .contentMismatch: .refused,
        .fileTooLarge: .tooLarge, .fileUnusable: .notFound,
        .pictureTooLarge: .tooLarge, .pictureNotAcceptable: .invalidArgument, .pictureMismatch: .refused,
        .roomRefused: .refused, .notInRoom: .refused, .roomExists: .conflict,
    ]
}
