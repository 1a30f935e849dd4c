// SPDX-License-Identifier: Apache-2.0

/// Why a stanza could not be handled (RFC 6120 §8.3).
public struct StanzaError: Error, Sendable, Hashable {
    /// What the sender can do about it (RFC 6120 §8.3.2).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Retry after showing credentials.
        case auth
        /// Do not retry: the error will not go away.
        case cancel
        /// Only a warning: go on.
        case `continue`
        /// Retry after changing what was sent.
        case modify
        /// Retry after some time.
        case wait
    }

    /// What went wrong; decides how to react, never the legacy ``code``.
    public var condition: Condition
    /// What the sender can do about it.
    public var kind: Kind
    /// A text for people, in the language of the other side; shown as text, never as markup.
    public var text: String?
    /// A more precise condition of an extension.
    public var application: Element?
    /// The entity that reported the error, where it is not the sender.
    public var by: JID?
    /// Where the other side can be reached instead, for ``Condition/gone`` and ``Condition/redirect``: an address that a
    /// stranger gives, to be looked at before it is followed (RFC 6120 §8.3.3.5, §8.3.3.14).
    public var location: String?
    /// The numeric code of the protocol before RFC 3920 (XEP-0086), kept for diagnosis only.
    public var code: Int?

    /// Makes an error to send; the kind is the one that RFC 6120 §8.3.3 recommends unless given.
    public init(_ condition: Condition, kind: Kind? = nil, text: String? = nil, application: Element? = nil) {
        self.condition = condition
        self.kind = kind ?? condition.recommendedKind
        self.text = text
        self.application = application
    }
}

extension StanzaError {
    /// The defined conditions (RFC 6120 §8.3.3).
    public enum Condition: Sendable, Hashable {
        /// §8.3.3.1: the request is malformed.
        case badRequest
        /// §8.3.3.2: something of that name exists already.
        case conflict
        /// §8.3.3.3: the other side does not know this feature.
        case featureNotImplemented
        /// §8.3.3.4: not permitted to this sender.
        case forbidden
        /// §8.3.3.5: the other side can be reached at another address for good.
        case gone
        /// §8.3.3.6: the other side has a fault.
        case internalServerError
        /// §8.3.3.7: there is no such address or item.
        case itemNotFound
        /// §8.3.3.8: an address is no valid JID.
        case jidMalformed
        /// §8.3.3.9: the request does not meet the criteria of the other side.
        case notAcceptable
        /// §8.3.3.10: nobody may do this.
        case notAllowed
        /// §8.3.3.11: credentials are needed first.
        case notAuthorized
        /// §8.3.3.12: a policy of the other side is violated.
        case policyViolation
        /// §8.3.3.13: the recipient cannot be reached for now.
        case recipientUnavailable
        /// §8.3.3.14: the recipient can be reached at another address for a while.
        case redirect
        /// §8.3.3.15: registration is needed first.
        case registrationRequired
        /// §8.3.3.16: the server of the recipient does not exist.
        case remoteServerNotFound
        /// §8.3.3.17: the server of the recipient did not answer in time.
        case remoteServerTimeout
        /// §8.3.3.18: the other side lacks resources for now.
        case resourceConstraint
        /// §8.3.3.19: the service is not provided.
        case serviceUnavailable
        /// §8.3.3.20: a subscription is needed first.
        case subscriptionRequired
        /// §8.3.3.21: none of the others fits.
        case undefinedCondition
        /// §8.3.3.22: the request came out of order.
        case unexpectedRequest
        /// A condition that RFC 6120 does not define, by its element name.
        case other(String)
    }
}

extension StanzaError.Condition {
    private static let table: [(String, StanzaError.Condition, StanzaError.Kind)] = [
        ("bad-request", .badRequest, .modify), ("conflict", .conflict, .cancel),
        ("feature-not-implemented", .featureNotImplemented, .cancel), ("forbidden", .forbidden, .auth),
        ("gone", .gone, .cancel), ("internal-server-error", .internalServerError, .cancel),
        ("item-not-found", .itemNotFound, .cancel), ("jid-malformed", .jidMalformed, .modify),
        ("not-acceptable", .notAcceptable, .modify), ("not-allowed", .notAllowed, .cancel),
        ("not-authorized", .notAuthorized, .auth), ("policy-violation", .policyViolation, .modify),
        ("recipient-unavailable", .recipientUnavailable, .wait), ("redirect", .redirect, .modify),
        ("registration-required", .registrationRequired, .auth),
        ("remote-server-not-found", .remoteServerNotFound, .cancel),
        ("remote-server-timeout", .remoteServerTimeout, .wait), ("resource-constraint", .resourceConstraint, .wait),
        ("service-unavailable", .serviceUnavailable, .cancel), ("subscription-required", .subscriptionRequired, .auth),
        ("undefined-condition", .undefinedCondition, .cancel), ("unexpected-request", .unexpectedRequest, .wait),
    ]

    /// The name of the condition element.
    public var name: String {
        if case .other(let name) = self { return name }
        return Self.table.first { $0.1 == self }?.0 ?? "undefined-condition"
    }

    /// The condition with that element name.
    public init(name: String) { self = Self.table.first { $0.0 == name }?.1 ?? .other(name) }

    /// The conditions that RFC 6120 defines, in its order.
    public static var defined: [StanzaError.Condition] { table.map(\.1) }

    var recommendedKind: StanzaError.Kind { Self.table.first { $0.1 == self }?.2 ?? .cancel }
}

extension StanzaError {
    /// Reads the `<error/>` among the children of a stanza, wherever it stands (RFC 6120 §8.3.1).
    ///
    /// An error stanza without one, or with one that names no condition, is an undefined condition.
    package init(inChildrenOf content: StanzaContent) {
        guard let element = content.first(.error) else {
            self.init(.undefinedCondition, text: nil)
            return
        }
        self.init(element)
    }

    package init(_ element: Element) {
        var found: Condition?
        var text: String?
        var application: Element?
        var location: String?
        for child in element.children {
            if child.namespace == Namespace.stanzaErrors {
                if child.localName == "text" {
                    if text == nil { text = child.text }
                } else if found == nil {
                    found = Condition(name: child.localName)
                    let content = child.text.trimmingXMLSpace
                    if !content.isEmpty, found == .gone || found == .redirect { location = content }
                }
            } else if application == nil {
                application = child
            }
        }
        let kind = element["type"].flatMap(Kind.init(rawValue:))
        self.init(found ?? .undefinedCondition, kind: kind, text: text, application: application)
        self.location = location
        code = element["code"].flatMap { Int($0) }
        by = element["by"].flatMap { try? JID($0) }
    }

    package var element: Element {
        Element(.error) { builder in
            builder.attribute("type", kind.rawValue)
            if let by { builder.attribute("by", by.description) }
            builder.open(XMLName(condition.name, Namespace.stanzaErrors))
            if let location, condition == .gone || condition == .redirect { builder.text(location) }
            builder.close()
            if let text {
                builder.open(XMLName("text", Namespace.stanzaErrors))
                builder.text(text)
                builder.close()
            }
            if let application { builder.child(application) }
        }
    }
}

extension StanzaError: CustomStringConvertible {
    /// The condition in words, with the text of the other side.
    public var description: String {
        let words = condition.name.replacing("-", with: " ")
        guard let text, !text.isEmpty else { return words }
        return "\(words): \(text)"
    }
}
