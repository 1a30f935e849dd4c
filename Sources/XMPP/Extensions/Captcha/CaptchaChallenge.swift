// SPDX-License-Identifier: Apache-2.0

/// A question for people that a server asks before it passes a stanza on (XEP-0158 §3).
public struct CaptchaChallenge: Sendable, Hashable {
    /// Who asks.
    public let from: JID
    /// The identifier of the challenge.
    public let id: String
    /// To whom the stanza went that is held back.
    public let recipient: JID
    /// The identifier of that stanza, where it had one.
    public let stanzaID: String?
    /// The questions; each field is another one.
    public let form: DataForm
    /// How many of them have to be answered; those that are required are among them (§3.2).
    public let answers: Int
    /// A page that asks the same, where there is one.
    public let page: String?
    /// What the server says about it.
    public let text: String?

    /// The questions that a person can be asked: no puzzles for computers.
    public var questions: [DataForm.Field] {
        form.fields.filter { $0.kind != .hidden && $0.kind != .fixed && $0.name != Captcha.puzzle }
    }
}

/// The names of XEP-0158.
enum Captcha {
    static let namespace = "urn:xmpp:captcha"
    static let captcha = XMLName("captcha", namespace)
    /// §6.2: the rest of a digest has to be found.
    static let puzzle = "SHA-256"

    /// §3.1: the asker is whom the stanza went to, another resource of it, or its server.
    static func speaks(_ asker: JID, for recipient: JID) -> Bool {
        asker.isSameBare(as: recipient) || (asker.local == nil && asker.isBare && asker.domain == recipient.domain)
    }
}

extension Message {
    /// The question that the message asks; nil when it asks none, and when it must be left alone.
    ///
    /// It is that unless one has sent the stanza that it speaks of: otherwise people could be made to solve the puzzles of
    /// others, or to show that they are there (XEP-0158 §3.1).
    /// - Parameter isSent: Whether one has sent a stanza with that identifier, or without one, to an address in the last
    ///   minutes.
    public func captchaChallenge(isSent: (_ recipient: JID, _ id: String?) -> Bool) -> CaptchaChallenge? {
        guard kind != .error, let from, let id, let captcha = payload(Captcha.captcha),
            let form = captcha.onlyChild(DataForm.name).flatMap({ DataForm($0) }), form.kind == .form,
            form.formType == Captcha.namespace, form["challenge"]?.values == [id],
            let recipient = form["from"]?.values.first.flatMap({ JID(wire: $0) }),
            Captcha.speaks(from, for: recipient)
        else { return nil }
        let stanzaID = form["sid"]?.values.first
        guard isSent(recipient, stanzaID) else { return nil }
        let required = form.fields.count(where: { $0.isRequired && $0.kind != .hidden })
        let wanted = form["answers"]?.values.first.flatMap { UInt8($0) }.map { Int($0) } ?? 1
        return CaptchaChallenge(
            from: from, id: id, recipient: recipient, stanzaID: stanzaID, form: form,
            answers: max(wanted, required, 1), page: payload(Registration.elsewhere)?.childText(Registration.url),
            text: body)
    }
}

extension XMPPSession {
    /// Answers a challenge (XEP-0158 §3.1); the stanza that was held back goes on then.
    ///
    /// Throws ``XMPPError``: `invalidArgument` when too few questions are answered, else as ``request(_:timeout:)`` does,
    /// with `notAcceptable` for a wrong answer and `serviceUnavailable` for one that came too late. Cancelling ends the wait.
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - answers: The answers, by the names of the fields.
    public func answer(_ challenge: CaptchaChallenge, with answers: [String: String]) async throws {
        let given = answers.filter { !$0.value.isEmpty && challenge.form[$0.key] != nil }
        let missing = challenge.form.fields.filter {
            $0.isRequired && $0.kind != .hidden && given[$0.name ?? ""] == nil
        }
        guard missing.isEmpty, given.count >= challenge.answers else {
            throw XMPPError(.invalidArgument, "the server wants more answers")
        }
        let fields = challenge.form.fields.compactMap { field -> DataForm.Field? in
            guard let name = field.name else { return nil }
            if field.kind == .hidden { return DataForm.Field(name, kind: .hidden, values: field.values) }
            return given[name].map { DataForm.Field(name, values: [$0]) }
        }
        let form = DataForm(.submit, fields: fields)
        _ = try await set(Element(Captcha.captcha, children: [form.element]), to: challenge.from)
    }

    /// Tells the asker that the challenge will not be answered (XEP-0158 §3.1); throws when not connected.
    public func decline(_ challenge: CaptchaChallenge) async throws(XMPPError) {
        let refusal = Message(
            to: challenge.from, kind: .error, id: challenge.id, payloads: [StanzaError(.notAcceptable).element])
        try await send(refusal)
    }
}
