// SPDX-License-Identifier: Apache-2.0

/// A text with the styles that its characters ask for (XEP-0393).
///
/// The characters that ask for a style are no part of the pieces; whoever shows them puts them back: an emphasis of
/// `_word_` is ``StyledSpan/emphasis(_:)`` around `word`.
public struct StyledText: Sendable, Hashable {
    /// The blocks, in order.
    public let blocks: [StyledBlock]

    /// Takes a text apart, in time that grows with its length and no more.
    public init(_ text: String) {
        var parser = StylingParser()
        blocks = parser.parse(text)
    }
}

/// A piece of a text that stands on lines of its own (XEP-0393 §5.1).
public indirect enum StyledBlock: Sendable, Hashable {
    /// One line.
    case line([StyledSpan])
    /// Lines as they are, in letters of equal width; the word behind the opening characters says what they are.
    case preformatted(String, language: String)
    /// What somebody else said.
    case quote([StyledBlock])
}

/// A piece of a line (XEP-0393 §5.2).
public indirect enum StyledSpan: Sendable, Hashable {
    /// Text without a style of its own.
    case text(String)
    /// Mostly slanted.
    case emphasis([StyledSpan])
    /// Mostly bold.
    case strong([StyledSpan])
    /// With a line through.
    case struck([StyledSpan])
    /// As it is, in letters of equal width.
    case preformatted(String)
}

extension Message {
    private static let unstyled = XMLName("unstyled", "urn:xmpp:styling:0")

    /// Whether the characters of the body ask for no styles (XEP-0393 §6).
    public var isUnstyled: Bool {
        get { payload(Self.unstyled) != nil }
        set { setPayload(Self.unstyled, newValue ? Element(Self.unstyled) : nil) }
    }

    /// The body with its styles; nil without a body.
    public var styledBody: StyledText? {
        guard let body else { return nil }
        return isUnstyled ? StyledText(plain: body) : StyledText(body)
    }
}

extension StyledText {
    /// A text without styles, line by line.
    init(plain text: String) {
        blocks = text.split(separator: "\n", omittingEmptySubsequences: false).map { .line([.text(String($0))]) }
    }
}

/// Announces that styles are shown (XEP-0393 §4).
public struct StylingModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `urn:xmpp:styling:0`.
    public var features: [String] { ["urn:xmpp:styling:0"] }
}
