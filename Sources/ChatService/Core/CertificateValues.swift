// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ChatAPI
import ChatKit
import XMPP

// Certificates and timelines in the words of the interface.

extension Timestamp {
    init(_ time: DateTime) { self.init(milliseconds: time.seconds &* 1000) }
}

extension CertificateDetails {
    init(_ certificate: ServerCertificate, domain: String) {
        self.init(
            domain: domain, subject: certificate.subject, issuer: certificate.issuer, names: certificate.names,
            validFrom: certificate.validFrom.map { Timestamp($0) },
            validUntil: certificate.validUntil.map { Timestamp($0) },
            fingerprint: hexadecimal(certificate.fingerprint), keyFingerprint: hexadecimal(certificate.keyFingerprint))
    }

    init(_ refusal: CertificateRefusal) {
        self.init(refusal.certificate, domain: refusal.domain)
        problems = refusal.problems.map { Problem($0) }
        mayBePinned = refusal.mayBePinned
    }
}

extension CertificateDetails.Problem {
    init(_ problem: CertificateRefusal.Problem) {
        self =
            switch problem {
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .selfSigned: .selfSigned
            case .unknownAuthority: .unknownAuthority
            case .wrongName: .wrongName
            case .notPinned: .notPinned
            case .keyNotPinned: .keyNotPinned
            case .revoked: .revoked
            case .unsuitable: .unsuitable
            }
    }
}

extension AccountTimeline {
    init(_ account: JID, _ timeline: ConnectionTimeline) {
        self.init(
            address: account.description, summary: timeline.summary(),
            entries: timeline.entries.map { Entry($0, domain: account.domain) })
    }
}

extension AccountTimeline.Entry {
    init(_ entry: ConnectionTimeline.Entry, domain: String) {
        self.init(time: Timestamp(entry.time), kind: "other", text: entry.text)
        switch entry.event {
        case .connecting: kind = "connecting"
        case .resolved: kind = "resolved"
        case .noAddress(let host, _): (kind, target) = ("no-address", host)
        case .targetFailed(let place, let reason):
            (kind, target) = ("target-failed", place.description)
            error = ChatAPIError(ChatError(reason))
        case .connected(let place, _): (kind, target) = ("connected", place.description)
        case .secured: kind = "secured"
        case .verified(let shown):
            kind = "certificate"
            certificate = CertificateDetails(shown, domain: domain)
        case .certificatePinned(let shown):
            kind = "certificate-pinned"
            certificate = CertificateDetails(shown, domain: domain)
        case .offered: kind = "features"
        case .authenticated: kind = "authenticated"
        case .online: kind = "online"
        case .interrupted(let reason, _):
            kind = "interrupted"
            error = ChatAPIError(ChatError(reason))
        case .ended(let reason):
            kind = "ended"
            error = reason.map { ChatAPIError(ChatError($0)) }
        default: break
        }
    }
}

extension TrustSettings {
    init(_ settings: AccountSettings) {
        self.init(
            usesSystemRoots: settings.usesSystemRoots, authorityFiles: settings.authorityFiles,
            pinnedCertificates: settings.pinnedCertificates.map { hexadecimal($0) }.sorted(),
            pinnedKeys: settings.pinnedKeys.map { hexadecimal($0) }.sorted())
    }

    /// Puts these settings into those of an account; throws where a digest is none.
    func apply(to settings: inout AccountSettings) throws(ChatAPIError) {
        settings.usesSystemRoots = usesSystemRoots
        settings.authorityFiles = authorityFiles
        settings.pinnedCertificates = try Self.digests(pinnedCertificates)
        settings.pinnedKeys = try Self.digests(pinnedKeys)
    }

    static func digests(_ texts: [String]) throws(ChatAPIError) -> Set<[UInt8]> {
        var digests: Set<[UInt8]> = []
        for text in texts {
            guard let digest = sha256(text) else {
                throw ChatAPIError(
                    .invalidArgument, "\"\(text)\" is not a SHA-256 digest",
                    hint: "give 64 hexadecimal digits, with or without colons")
            }
            digests.insert(digest)
        }
        return digests
    }

    /// Reads 64 hexadecimal digits, with colons or spaces between them or without.
    private static func sha256(_ text: String) -> [UInt8]? {
        let digits = text.filter { $0 != ":" && $0 != " " }.utf8.map { $0 }
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 64, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16),
                digits[index] != UInt8(ascii: "+"), digits[index] != UInt8(ascii: "-")
            else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}
