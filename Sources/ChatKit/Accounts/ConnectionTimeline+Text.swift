// SPDX-License-Identifier: Apache-2.0
internal import ApusCrypto
internal import ApusTransport
public import Foundation
internal import XMPP

extension ConnectionTimeline {
    /// The last attempt in one line, such as "resolved 3 targets, 2 refused, TLS failed: certificate of example.org
    /// expired 2 days ago, next try in 40 s"; empty before the first one.
    public func summary(now: Date = Date()) -> String {
        var attempt = AttemptSummary(now: now)
        for entry in lastAttempt { attempt.add(entry) }
        return attempt.text
    }
}

extension ConnectionTimeline.Entry {
    /// What happened, in one line.
    public var text: String {
        switch event {
        case .connecting(let attempt): "attempt \(attempt)"
        case .resolved(let targets, let areFound):
            (areFound ? "found " : "trying ") + targets.map { Self.text($0) }.joined(separator: ", ")
        case .noAddress(let host, let reason): "no address for \(host)" + (reason.map { ": \($0)" } ?? "")
        case .targetFailed(let target, let error): "\(Self.text(target)) failed: \(error.description)"
        case .connected(let target, let address): "connected to \(Self.text(target)) at \(address)"
        case .secured(let version, let cipher): "\(version), \(cipher)"
        case .verified(let certificate): "certificate: \(certificate.text)"
        case .certificatePinned(let certificate): "certificate accepted by the user: \(certificate.text)"
        case .offered(let offer): Self.text(offer)
        case .authenticated(let mechanism, let isBound):
            "logged in by \(mechanism)" + (isBound ? ", bound to the TLS channel" : "")
        case .online(let jid, let isResumed): "online as \(jid)" + (isResumed ? ", stream resumed" : "")
        case .interrupted(let error, let wait): "\(error.description); next try in \(wait.inWords)"
        case .ended(let error): error.map { "ended: \($0.description)" } ?? "disconnected"
        default: String(describing: event)
        }
    }

    private static func text(_ target: ConnectionTarget) -> String {
        "\(target)" + (target.usesDirectTLS ? " (direct TLS)" : "")
    }

    private static func text(_ offer: StreamOffer) -> String {
        let place = offer.isAuthenticated ? "after the login" : offer.isSecure ? "inside TLS" : "before TLS"
        let names = offer.features.map(\.local).joined(separator: ", ")
        let mechanisms = offer.mechanisms.isEmpty ? "" : "; logins: \(offer.mechanisms.joined(separator: ", "))"
        return "offered \(place): \(names.isEmpty ? "nothing" : names)\(mechanisms)"
    }
}

extension ServerCertificate {
    fileprivate var text: String {
        let names = names.prefix(4).joined(separator: ", ") + (names.count > 4 ? " and others" : "")
        let end = validUntil.map { ", valid until \($0.description.prefix(10))" } ?? ""
        return "\(names.isEmpty ? subject : names), by \(issuer)\(end)"
    }
}

/// Gathers one attempt into one line.
private struct AttemptSummary {
    let now: Date
    private var found: Int?
    private var refused = 0
    private var unreachable = 0
    private var silent = 0
    private var others: [String] = []
    private var progress: [String] = []
    private var onlineAt: Date?
    private var end: String?
    private var next: String?

    init(now: Date) { self.now = now }

    mutating func add(_ entry: ConnectionTimeline.Entry) {
        switch entry.event {
        case .resolved(let targets, areFound: true): found = (found ?? 0) + targets.count
        case .resolved(let targets, areFound: false):
            if let target = targets.first, found == nil { progress.append("trying \(target)") }
        case .noAddress(let host, _): others.append("no address for \(host)")
        case .targetFailed(_, let error): count(error)
        case .secured(let version, _): progress.append(version)
        case .authenticated(let mechanism, _): progress.append("logged in by \(mechanism)")
        case .online(_, let isResumed):
            onlineAt = entry.time
            progress.append(isResumed ? "online, stream resumed" : "online")
        case .interrupted(let error, let wait):
            ended(error, at: entry.time)
            let left = max(0, entry.time.timeIntervalSince1970 + wait.seconds - now.timeIntervalSince1970)
            next = left < 1 ? "next try now" : "next try in \(Duration.seconds(Int64(left.rounded())).inWords)"
        case .ended(let error?): ended(error, at: entry.time)
        case .ended(nil): end = "disconnected"
        default: break
        }
    }

    private mutating func count(_ error: XMPPError) {
        guard let cause = error.underlying as? TransportError else { return add(error.description) }
        switch cause.code {
        case .refused: refused += 1
        case .unreachable: unreachable += 1
        case .timedOut: silent += 1
        case .tls(let tls): add("TLS failed: \(tls.summary)")
        default: add(cause.description)
        }
    }

    private mutating func add(_ other: String) {
        if !others.contains(other), others.count < 4 { others.append(other) }
    }

    private mutating func ended(_ error: XMPPError, at time: Date) {
        if let onlineAt {
            let span = Duration.seconds(Int64(max(0, time.timeIntervalSince(onlineAt)).rounded()))
            end = "lost after \(span.inWords): \(error.description)"
        } else if refused + unreachable + silent == 0, others.isEmpty {
            end =
                error.underlying.flatMap { $0 as? TransportError }.flatMap { cause -> String? in
                    if case .tls(let tls) = cause.code { "TLS failed: \(tls.summary)" } else { nil }
                } ?? error.description
        }
    }

    var text: String {
        var parts: [String] = []
        if let found { parts.append("resolved \(found) \(found == 1 ? "target" : "targets")") }
        if found == nil, let trying = progress.first, trying.hasPrefix("trying ") { parts.append(trying) }
        if refused > 0 { parts.append("\(refused) refused") }
        if unreachable > 0 { parts.append("\(unreachable) unreachable") }
        if silent > 0 { parts.append("\(silent) did not answer") }
        parts += others
        parts += progress.filter { !$0.hasPrefix("trying ") }
        if let end { parts.append(end) }
        if let next { parts.append(next) }
        return parts.joined(separator: ", ")
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// Such as `40 s`, `5 min`, `3 h` or `2 days`.
    var inWords: String {
        let seconds = Int64(self.seconds.rounded())
        return switch seconds {
        case 172_800...: "\(seconds / 86400) days"
        case 7200...: "\(seconds / 3600) h"
        case 120...: "\(seconds / 60) min"
        default: "\(seconds) s"
        }
    }
}
