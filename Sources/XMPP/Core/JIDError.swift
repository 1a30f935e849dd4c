// SPDX-License-Identifier: Apache-2.0

/// Why a text is not an XMPP address: which part is wrong, and what is wrong with it.
///
/// The description is one sentence without a full stop, fit to show to the person who typed the address.
public struct JIDError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A part of an address.
    public enum Part: Hashable, Sendable {
        /// The address as a whole.
        case address
        /// What stands before the `@` (RFC 7622 §3.3).
        case local
        /// The server's name or address (RFC 7622 §3.2).
        case domain
        /// What stands after the first `/` (RFC 7622 §3.4).
        case resource
    }

    /// The kind of fault.
    public enum Code: Hashable, Sendable {
        /// The part is there but holds nothing.
        case empty
        /// The part is longer than 1023 bytes of UTF-8, or a label of the domain longer than DNS allows.
        case tooLong
        /// The bytes are not UTF-8.
        case encoding
        /// A character that the part may not contain.
        case character
        /// A character that is allowed only beside certain others (RFC 5892 appendix A).
        case context
        /// Letters of both writing directions in an order that displays ambiguously (RFC 5893 §2).
        case direction
        /// A label of the domain that is not a valid host name label.
        case label
        /// An IP address that is not well formed.
        case literal
        /// A text that the escaping of XEP-0106 cannot carry.
        case escape
    }

    /// The part that is wrong.
    public let part: Part
    /// The kind of fault.
    public let code: Code
    /// The fault in words, without the part.
    public let reason: String

    package init(_ part: Part, _ code: Code, _ reason: String) {
        self.part = part
        self.code = code
        self.reason = reason
    }

    /// The sentence to show, as in `the domain is empty`.
    public var description: String { "\(part) \(reason)" }
}

extension JIDError.Part: CustomStringConvertible {
    /// The part in words.
    public var description: String {
        switch self {
        case .address: "the address"
        case .local: "the name before the @"
        case .domain: "the domain"
        case .resource: "the resource"
        }
    }
}

extension JIDError {
    init(_ part: Part, _ fault: PRECISFault) {
        switch fault {
        case .empty: self.init(part, .empty, "is empty")
        case .disallowed(let scalar): self.init(part, character: scalar)
        case .context(let scalar):
            self.init(part, .context, "contains \(scalar.nameForPeople) where its neighbours do not allow it")
        case .direction:
            self.init(part, .direction, "mixes left-to-right and right-to-left writing in a forbidden order")
        case .unstable:
            self.init(part, .character, "changes each time it is prepared, so it cannot be compared")
        }
    }

    init(_ part: Part, character scalar: Unicode.Scalar) {
        self.init(part, .character, "contains \(scalar.nameForPeople), which is not allowed there")
    }

    static func tooLong(_ part: Part) -> JIDError { JIDError(part, .tooLong, "is longer than 1023 bytes") }
}

extension Unicode.Scalar {
    /// Printable ASCII in quotes, everything else by number: safe in a terminal and in a log.
    var nameForPeople: String {
        if self == " " { return "a space" }
        if value > 0x20, value < 0x7F { return "“\(self)”" }
        let digits = String(value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
