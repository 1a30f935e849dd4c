// SPDX-License-Identifier: Apache-2.0

extension XMPPError {
    /// The largest file that the server takes, in bytes, where it said so when it refused one (XEP-0363 §6).
    public var uploadLimit: Int64? {
        guard let application = stanzaError?.application, application.localName == "file-too-large",
            application.namespace == Upload.namespace || application.namespace == Upload.legacyNamespace
        else { return nil }
        return application.childText(XMLName("max-file-size", application.namespace)).flatMap { Int64($0) }
    }

    /// When the server takes a file again, where it said so when it refused one for now (XEP-0363 §6).
    public var uploadRetryDate: DateTime? {
        guard let application = stanzaError?.application,
            application.matches(XMLName("retry", Upload.namespace))
        else { return nil }
        return application["stamp"].flatMap { DateTime($0) }
    }

    /// What the refusal of a place means.
    static func upload(_ error: XMPPError, service: UploadService) -> XMPPError {
        guard let refusal = error.stanzaError else { return error }
        if refusal.application?.localName == "file-too-large" {
            return tooLarge(error.uploadLimit, service.jid, refusal)
        }
        if let date = error.uploadRetryDate {
            return XMPPError(
                .requestFailed, "\(service.jid) takes no more files before \(date)", isRetryable: true,
                underlying: refusal)
        }
        return error
    }

    static func tooLarge(_ limit: Int64?, _ jid: JID, _ cause: StanzaError? = nil) -> XMPPError {
        XMPPError(
            .fileTooLarge, "the file is too large for \(jid)\(limit.map { ": its limit is \($0) bytes" } ?? "")",
            underlying: cause)
    }
}
