// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Glibc

/// What a race has met so far, and the one error that tells it.
struct ConnectTally {
    let domain: String
    var deadline: Duration = .zero
    /// Endpoints that SRV records named.
    var endpointsFound = 0
    /// Why each finished attempt failed.
    var attempts: [TransportError] = []
    /// Attempts without an answer when the deadline came.
    var unanswered = 0
    /// Hosts without an address.
    var hostsWithoutAddress: [String] = []
    /// Why names could not be looked up, when that is so.
    var lookupFailure: String?

    init(domain: String) {
        self.domain = domain
    }

    mutating func noAddress(_ host: String, _ failure: String?) {
        hostsWithoutAddress.append(host)
        if let failure { lookupFailure = failure }
    }

    /// Whether nothing outside this machine has answered at all, so that asking elsewhere is of no use.
    var isOffline: Bool {
        if attempts.isEmpty { return lookupFailure != nil }
        return attempts.allSatisfy { if case .unreachable = $0.code { true } else { false } }
    }

    /// A refused certificate comes first: it is the one failure that somebody may be behind.
    func error(isTimedOut: Bool) -> TransportError {
        if let certificate = attempts.first(where: \.isCertificateFailure) {
            return TransportError(certificate.code, sentence(certificate.description))
        }
        let code = summaryCode(isTimedOut)
        return TransportError(code, "\(domain) cannot be reached: \(details(isTimedOut)). \(advice(code))")
    }

    private func summaryCode(_ isTimedOut: Bool) -> TransportError.Code {
        if isTimedOut { return .timedOut }
        if let tls = attempts.first(where: { if case .tls = $0.code { true } else { false } }) { return tls.code }
        guard let first = attempts.first else { return lookupFailure == nil ? .nameNotFound : .lookupFailed }
        // One answer is worth more than any number of silences.
        return attempts.first { if case .refused = $0.code { true } else { false } }?.code ?? first.code
    }

    private func details(_ isTimedOut: Bool) -> String {
        var parts: [String] = []
        if endpointsFound > 0 { parts.append("resolved \(count(endpointsFound, "target"))") }
        var refused = 0
        var unreachable = 0
        var silent = unanswered
        var others: [String] = []
        for attempt in attempts {
            switch attempt.code {
            case .refused: refused += 1
            case .unreachable: unreachable += 1
            case .timedOut: silent += 1
            default: if !others.contains(attempt.description) { others.append(attempt.description) }
            }
        }
        let addresses = "address"
        if refused > 0 { parts.append("\(count(refused, addresses)) refused") }
        if unreachable > 0 { parts.append("\(count(unreachable, addresses)) unreachable") }
        if silent > 0 {
            let limit = isTimedOut ? " within \(deadline.formattedSeconds)" : ""
            parts.append("\(count(silent, addresses)) did not answer\(limit)")
        }
        parts += others.prefix(3)
        if let host = hostsWithoutAddress.first {
            let more = hostsWithoutAddress.count > 1 ? " and \(hostsWithoutAddress.count - 1) more" : ""
            parts.append("no address found for \(host)\(more)")
        }
        if let lookupFailure { parts.append(lookupFailure) }
        // The look-ups took all the time, or what was dialled had failed by then.
        if isTimedOut, silent == 0 { parts.append("no answer within \(deadline.formattedSeconds)") }
        if parts.isEmpty { parts.append("nothing was found to dial") }
        return parts.joined(separator: ", ")
    }

    private func advice(_ code: TransportError.Code) -> String {
        switch code {
        case .nameNotFound: "Check the spelling of the address."
        case .lookupFailed: "Check the network connection and its name server."
        case .refused: "Is the server running, and is the port right?"
        case .unreachable: "Check the network connection."
        case .tls: "The server's operator must repair this."
        default: "Check the network connection, or try again later."
        }
    }

    private func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)\(noun.hasSuffix("s") ? "es" : "s")"
    }

    private func sentence(_ text: String) -> String {
        text.prefix(1).uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
    }
}

extension TransportError {
    /// Whether the peer proved to be somebody else, or could not prove anything.
    package var isCertificateFailure: Bool {
        guard case .tls(let error) = code else { return false }
        switch error.code {
        case .expired, .notYetValid, .selfSigned, .unknownAuthority, .nameMismatch, .revoked, .unsuitableCertificate,
            .notPinned, .keyNotPinned:
            return true
        default: return false
        }
    }

    /// The failure that an `errno` of a socket stands for; `place` says where.
    init(_ number: Int32, _ place: String) {
        switch number {
        case ECONNREFUSED: self.init(.refused, "\(place) refused the connection")
        case ETIMEDOUT: self.init(.timedOut, "\(place) does not answer")
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EAFNOSUPPORT, EACCES, EPERM, EINVAL:
            self.init(.unreachable, "\(place) cannot be reached")
        case ECONNRESET, EPIPE, ECONNABORTED: self.init(.reset, "\(place) cut the connection")
        default: self.init(.system(number), "\(place): \(String(cString: strerror(number)))")
        }
    }
}

extension Duration {
    /// The length for people, in seconds.
    var formattedSeconds: String {
        let milliseconds = wholeNanoseconds / 1_000_000
        if milliseconds % 1000 == 0 { return milliseconds == 1000 ? "1 second" : "\(milliseconds / 1000) seconds" }
        let fraction = String(milliseconds % 1000 + 1000).dropFirst()
        return "\(milliseconds / 1000).\(fraction) seconds"
    }
}
