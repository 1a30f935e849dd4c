// SPDX-License-Identifier: Apache-2.0

/// Why a stream was closed (RFC 6120 §4.9); always the end of that stream.
public struct StreamError: Error, Sendable, Hashable {
    /// What went wrong.
    public var condition: Condition
    /// A text for people, in the language of the other side.
    public var text: String?
    /// A more precise condition of an extension.
    public var application: Element?

    /// Makes an error to send.
    public init(_ condition: Condition, text: String? = nil, application: Element? = nil) {
        self.condition = condition
        self.text = text
        self.application = application
    }
}

extension StreamError {
    /// The defined conditions (RFC 6120 §4.9.3).
    public enum Condition: Sendable, Hashable {
        /// §4.9.3.1: the XML cannot be processed.
        case badFormat
        /// §4.9.3.2: a namespace prefix is not the expected one.
        case badNamespacePrefix
        /// §4.9.3.3: another stream took this resource.
        case conflict
        /// §4.9.3.4: nothing was heard for too long.
        case connectionTimeout
        /// §4.9.3.5: the domain is no longer served here.
        case hostGone
        /// §4.9.3.6: the domain is not served here.
        case hostUnknown
        /// §4.9.3.7: a stanza lacks an address.
        case improperAddressing
        /// §4.9.3.8: the other side has a fault.
        case internalServerError
        /// §4.9.3.9: the `from` address is not the one of this stream.
        case invalidFrom
        /// §4.9.3.10: the namespace of the stream is wrong.
        case invalidNamespace
        /// §4.9.3.11: the XML is not valid.
        case invalidXML
        /// §4.9.3.12: something was sent before logging in, or credentials changed.
        case notAuthorized
        /// §4.9.3.13: the XML is not well-formed.
        case notWellFormed
        /// §4.9.3.14: a local policy is violated.
        case policyViolation
        /// §4.9.3.15: a server further on cannot be reached.
        case remoteConnectionFailed
        /// §4.9.3.16: the stream is to be opened again.
        case reset
        /// §4.9.3.17: the other side lacks resources.
        case resourceConstraint
        /// §4.9.3.18: XML that streams must not hold: comment, processing instruction, DTD, entity.
        case restrictedXML
        /// §4.9.3.19: connect to that host (and port) instead.
        case seeOtherHost(String)
        /// §4.9.3.20: the server shuts down.
        case systemShutdown
        /// §4.9.3.21: none of the others fits.
        case undefinedCondition
        /// §4.9.3.22: the encoding is not UTF-8.
        case unsupportedEncoding
        /// §4.9.3.23: a mandatory feature is not known.
        case unsupportedFeature
        /// §4.9.3.24: a first-level element is not known.
        case unsupportedStanzaType
        /// §4.9.3.25: the version of the stream is not known.
        case unsupportedVersion
        /// A condition that RFC 6120 does not define, by its element name.
        case other(String)
    }
}

extension StreamError.Condition {
    private static let table: [(String, StreamError.Condition)] = [
        ("bad-format", .badFormat), ("bad-namespace-prefix", .badNamespacePrefix), ("conflict", .conflict),
        ("connection-timeout", .connectionTimeout), ("host-gone", .hostGone), ("host-unknown", .hostUnknown),
        ("improper-addressing", .improperAddressing), ("internal-server-error", .internalServerError),
        ("invalid-from", .invalidFrom), ("invalid-namespace", .invalidNamespace), ("invalid-xml", .invalidXML),
        ("not-authorized", .notAuthorized), ("not-well-formed", .notWellFormed),
        ("policy-violation", .policyViolation), ("remote-connection-failed", .remoteConnectionFailed),
        ("reset", .reset), ("resource-constraint", .resourceConstraint), ("restricted-xml", .restrictedXML),
        ("system-shutdown", .systemShutdown), ("undefined-condition", .undefinedCondition),
        ("unsupported-encoding", .unsupportedEncoding), ("unsupported-feature", .unsupportedFeature),
        ("unsupported-stanza-type", .unsupportedStanzaType), ("unsupported-version", .unsupportedVersion),
        // The name that RFC 3920 had for not-well-formed.
        ("xml-not-well-formed", .notWellFormed),
    ]

    /// The name of the condition element.
    public var name: String {
        switch self {
        case .other(let name): name
        case .seeOtherHost: "see-other-host"
        default: Self.table.first { $0.1 == self }?.0 ?? "undefined-condition"
        }
    }

    /// The conditions that RFC 6120 defines and that carry no value.
    public static var defined: [StreamError.Condition] { table.dropLast().map(\.1) }

    init(_ element: Element) {
        if element.localName == "see-other-host" {
            self = .seeOtherHost(element.text.trimmingXMLSpace)
        } else {
            self = Self.table.first { $0.0 == element.localName }?.1 ?? .other(element.localName)
        }
    }
}

extension StreamError {
    package init(_ element: Element) {
        var condition: Condition?
        var text: String?
        var application: Element?
        for child in element.children {
            if child.namespace == Namespace.streamErrors {
                if child.localName == "text" {
                    if text == nil { text = child.text }
                } else if condition == nil {
                    condition = Condition(child)
                }
            } else if application == nil {
                application = child
            }
        }
        self.init(condition ?? .undefinedCondition, text: text, application: application)
    }

    package var element: Element {
        Element(.streamError) { builder in
            builder.open(XMLName(condition.name, Namespace.streamErrors))
            if case .seeOtherHost(let host) = condition { builder.text(host) }
            builder.close()
            if let text {
                builder.open(XMLName("text", Namespace.streamErrors))
                builder.text(text)
                builder.close()
            }
            if let application { builder.child(application) }
        }
    }

    /// Whether connecting again with the same data may work.
    public var isRetryable: Bool {
        switch condition {
        case .conflict, .hostGone, .hostUnknown, .invalidFrom, .notAuthorized, .policyViolation, .unsupportedVersion,
            .unsupportedEncoding, .invalidNamespace, .badNamespacePrefix:
            false
        default: true
        }
    }
}

extension StreamError: CustomStringConvertible {
    /// The condition in words, with the text of the other side.
    public var description: String {
        let words = condition.name.replacing("-", with: " ")
        guard let text, !text.isEmpty else { return words }
        return "\(words): \(text)"
    }
}
