// SPDX-License-Identifier: Apache-2.0

/// Why a room does not let one in, or does not give one a nickname (XEP-0045 §7.2, §7.6).
public enum RoomRefusal: Error, Hashable {
    /// §7.2.5: the password is missing or wrong.
    case passwordRequired
    /// §7.2.6: only members may come in.
    case membersOnly
    /// §7.2.7: one is banned.
    case banned
    /// §7.2.8: somebody has the nickname; it may be one's own other device (B120).
    case nicknameInUse
    /// §7.2.9: the room is full.
    case full
    /// §7.2.10: there is no such room, or its owner is still setting it up.
    case notFound
    /// §10.1.1: one may not make rooms there.
    case creationForbidden
    /// §7.12: the room wants another nickname, the one that is reserved.
    case reservedNicknameRequired
    /// §7.2.1: the nickname is no valid one.
    case invalidNickname
    /// The room moved or is gone; what the server says about where to is to be looked at first.
    case gone(String?)
    /// The room cannot be reached now.
    case unreachable
    /// The service has too much to do now.
    case busy
    /// The room did not answer in time.
    case timedOut
    /// Another reason.
    case other(StanzaError)
}

extension RoomRefusal {
    /// Reads what a room answered; a number alone, as old services send it, is understood, too (B119).
    public init(_ error: StanzaError) {
        switch error.condition {
        case .notAuthorized: self = .passwordRequired
        case .registrationRequired: self = .membersOnly
        case .forbidden: self = .banned
        case .conflict: self = .nicknameInUse
        case .serviceUnavailable: self = .full
        case .itemNotFound: self = .notFound
        case .notAllowed: self = .creationForbidden
        case .notAcceptable: self = .reservedNicknameRequired
        case .jidMalformed: self = .invalidNickname
        case .gone, .redirect: self = .gone(error.location)
        case .remoteServerNotFound, .remoteServerTimeout, .recipientUnavailable: self = .unreachable
        case .resourceConstraint, .internalServerError: self = .busy
        case .undefinedCondition: self = error.code.flatMap { RoomRefusal(code: $0) } ?? .other(error)
        default: self = .other(error)
        }
    }

    /// XEP-0045 before version 1.25, the numbers of XEP-0086.
    private init?(code: Int) {
        switch code {
        case 400: self = .invalidNickname
        case 401: self = .passwordRequired
        case 403: self = .banned
        case 404: self = .notFound
        case 405: self = .creationForbidden
        case 406: self = .reservedNicknameRequired
        case 407: self = .membersOnly
        case 409: self = .nicknameInUse
        case 503: self = .full
        default: return nil
        }
    }

    /// Whether trying again by itself is no use: somebody has to do something first.
    public var isFinal: Bool {
        switch self {
        case .full, .unreachable, .busy, .timedOut: false
        // The own ghost of before a lost connection goes away after a while (B120).
        case .nicknameInUse: false
        case .other(let error): error.kind != .wait
        default: true
        }
    }

    /// The reason in words.
    public var description: String {
        switch self {
        case .passwordRequired: "the password is missing or wrong"
        case .membersOnly: "only members may come in"
        case .banned: "you are banned"
        case .nicknameInUse: "the nickname is in use"
        case .full: "the room is full"
        case .notFound: "there is no such room, or it is still being set up"
        case .creationForbidden: "there is no such room, and you may not make one"
        case .reservedNicknameRequired: "the room wants the nickname that is reserved for you"
        case .invalidNickname: "the nickname is not valid"
        case .gone(let place): place.map { "the room moved to \($0)" } ?? "the room is gone"
        case .unreachable: "the room cannot be reached"
        case .busy: "the service has too much to do"
        case .timedOut: "the room did not answer in time"
        case .other(let error): error.description
        }
    }
}

extension RoomRefusal: CustomStringConvertible {}
