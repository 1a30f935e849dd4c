// SPDX-License-Identifier: Apache-2.0
import ChatAPI

/// Shows a certificate that was refused, and asks whether exactly this one is accepted all the same.
enum CertificateQuestion {
    /// Makes a call again with the certificate pinned when the user says yes.
    ///
    /// Without a terminal, and for a certificate that nothing excuses, the error stays, with the digest in its advice.
    static func retrying<Reply>(
        _ context: Context, _ request: AddAccountRequest,
        _ call: (AddAccountRequest) async throws(ChatAPIError) -> Reply
    ) async throws -> Reply {
        do throws(ChatAPIError) {
            return try await call(request)
        } catch {
            guard error.certificate?.mayBePinned == true else { throw error }
            guard let certificate = error.certificate, request.server.pinnedCertificate == nil,
                try await accepts(certificate, error, context)
            else { throw advised(error) }
            var request = request
            request.server.pinnedCertificate = certificate.fingerprint
            return try await call(request)
        }
    }

    /// Whether the user accepts it; false without a terminal.
    static func accepts(
        _ certificate: CertificateDetails, _ error: ChatAPIError, _ context: Context
    ) async throws -> Bool {
        guard context.input.isTerminal, !context.output.isJSON else { return false }
        await context.output.say(text(certificate, error))
        let answer = try await context.input.answer(
            prompt:
                "Accept exactly this certificate for \(Plain.line(certificate.domain)) from now on? Type yes or no: ")
        return answer?.lowercased() == "yes"
    }

    /// What one has to know to decide.
    static func text(_ certificate: CertificateDetails, _ error: ChatAPIError) -> String {
        var lines = [
            "The certificate of \(Plain.line(certificate.domain)) is refused: \(Plain.line(error.description))."
        ]
        lines += rows(certificate)
        let further = certificate.problems.dropFirst().map(words)
        if !further.isEmpty { lines.append("  besides   " + further.joined(separator: "; ")) }
        lines.append("Compare the SHA-256 with one that you have from the server's operator by another way.")
        return lines.joined(separator: "\n")
    }

    /// The facts of a certificate, one a line.
    static func rows(_ certificate: CertificateDetails) -> [String] {
        let names = certificate.names.isEmpty ? "none" : certificate.names.map(Plain.line).joined(separator: ", ")
        var rows = [
            "  subject   \(Plain.line(certificate.subject))", "  issuer    \(Plain.line(certificate.issuer))",
            "  names     \(names)",
        ]
        if let from = certificate.validFrom, let until = certificate.validUntil {
            rows.append("  valid     from \(from.description.prefix(10)) to \(until.description.prefix(10))")
        }
        rows.append("  SHA-256   \(spaced(certificate.fingerprint))")
        rows.append("  key       \(spaced(certificate.keyFingerprint))")
        return rows
    }

    /// A digest in groups that can be compared by eye.
    static func spaced(_ digest: String) -> String {
        var groups: [Substring] = []
        var rest = digest[...]
        while !rest.isEmpty {
            groups.append(rest.prefix(8))
            rest = rest.dropFirst(8)
        }
        return groups.joined(separator: " ")
    }

    /// The error with the way out that a script has.
    static func advised(_ error: ChatAPIError) -> ChatAPIError {
        guard let certificate = error.certificate, certificate.mayBePinned else { return error }
        var error = error
        error.hint =
            "if you know that this is the right certificate, give --trust-certificate \(certificate.fingerprint)"
        return error
    }

    private static func words(_ problem: CertificateDetails.Problem) -> String {
        switch problem {
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet"
        case .selfSigned: "it signs itself"
        case .unknownAuthority: "no trusted authority vouches for it"
        case .wrongName: "it is for other names"
        case .notPinned: "it is not the one that was accepted before"
        default: problem.rawValue
        }
    }
}
