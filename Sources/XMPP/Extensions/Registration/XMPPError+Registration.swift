// SPDX-License-Identifier: Apache-2.0

/// Why an account could not be made or changed (XEP-0077).
extension XMPPError.Code {
    /// Somebody has this name already; another one may be free.
    public static let nameTaken = Self(rawValue: "nameTaken")
    /// The server does not take such a name.
    public static let nameNotAcceptable = Self(rawValue: "nameNotAcceptable")
    /// The server does not take such a password.
    public static let passwordNotAcceptable = Self(rawValue: "passwordNotAcceptable")
    /// Something else in the form is missing or wrong.
    public static let detailsNotAcceptable = Self(rawValue: "detailsNotAcceptable")
    /// The server makes no accounts this way; there is no use in asking again.
    public static let registrationClosed = Self(rawValue: "registrationClosed")
    /// The account is to be made elsewhere, as on a web page.
    public static let registrationElsewhere = Self(rawValue: "registrationElsewhere")
    /// The invitation is unknown, used, or too old.
    public static let invitationInvalid = Self(rawValue: "invitationInvalid")
    /// Too many attempts were made.
    public static let tooManyAttempts = Self(rawValue: "tooManyAttempts")
}

extension XMPPError {
    /// What the refusal of a registration means; a password that the server repeats stays out of it.
    ///
    /// - Parameters:
    ///   - error: What the request failed with.
    ///   - values: What was sent.
    ///   - hasCaptcha: Whether the form had a question for people only.
    ///   - domain: The server.
    static func registration(
        _ error: XMPPError, values: [String: [String]], hasCaptcha: Bool, domain: String
    ) -> XMPPError {
        guard var refusal = error.stanzaError else { return error }
        let password = values["password"]?.first ?? ""
        if !password.isEmpty {
            refusal.text = refusal.text?.replacing(password, with: "…")
            refusal.location = refusal.location?.replacing(password, with: "…")
        }
        refusal.application = nil
        let detail = refusal.text.map { $0.isEmpty ? "" : ": \($0.prefix(500))" } ?? ""
        let name = values["username"]?.first ?? ""

        func make(_ code: Code, _ text: String, isRetryable: Bool = false) -> XMPPError {
            XMPPError(code, text + detail, isRetryable: isRetryable, underlying: refusal)
        }
        switch refusal.condition {
        case .conflict: return make(.nameTaken, "the name “\(name)” is taken on \(domain); choose another one")
        case .jidMalformed: return make(.nameNotAcceptable, "\(domain) does not take the name “\(name)”")
        case .resourceConstraint,
            .notAcceptable where refusal.kind == .wait,
            .policyViolation where refusal.kind == .wait:
            return make(
                .tooManyAttempts, "\(domain) makes no more accounts for now; try again later", isRetryable: true)
        case .notAllowed where hasCaptcha,
            .notAcceptable where hasCaptcha:
            return make(
                .detailsNotAcceptable, "\(domain) refused the form, perhaps for the answer to its check for people")
        case .notAcceptable, .badRequest, .policyViolation:
            if password.trimmingXMLSpace.isEmpty {
                return make(.passwordNotAcceptable, "\(domain) does not take an empty password")
            }
            if refusal.text?.localizedCaseInsensitive(contains: "password") == true {
                return make(.passwordNotAcceptable, "\(domain) does not take this password")
            }
            if let empty = values.keys.sorted().first(where: { values[$0]?.allSatisfy(\.isEmpty) ?? true }) {
                return make(.detailsNotAcceptable, "\(domain) does not take an empty “\(empty)”")
            }
            if refusal.text?.localizedCaseInsensitive(contains: "username") == true {
                return make(.nameNotAcceptable, "\(domain) does not take the name “\(name)”")
            }
            return make(.detailsNotAcceptable, "\(domain) does not take these details")
        case .redirect, .gone:
            let place = refusal.location.map { " at \($0.prefix(500))" } ?? ""
            return make(.registrationElsewhere, "\(domain) wants accounts to be made elsewhere\(place)")
        case .forbidden, .notAllowed, .serviceUnavailable, .featureNotImplemented, .notAuthorized,
            .registrationRequired, .itemNotFound:
            return make(
                .registrationClosed, "\(domain) lets nobody make an account this way; ask whoever runs it")
        case .internalServerError:
            return make(.requestFailed, "\(domain) failed to make the account; try again later", isRetryable: true)
        default: return XMPPError.request(refusal)
        }
    }
}

extension String {
    /// Whether an ASCII word stands in the text, in letters of any case.
    fileprivate func localizedCaseInsensitive(contains word: String) -> Bool {
        lowercased().contains(word)
    }
}
