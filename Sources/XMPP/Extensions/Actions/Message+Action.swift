// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// What the sender does, for a body like `/me waves` (XEP-0245 §3): the text behind; nil for another body.
    ///
    /// Show it behind the sender's name. It looks at the body as it is; with an answer, look at the body without its quote,
    /// with ``action(in:)``.
    public var action: String? { body.flatMap { Message.action(in: $0) } }

    /// The same for a text.
    public static func action(in text: String) -> String? {
        guard text.hasPrefix("/me ") else { return nil }
        return String(text.dropFirst(4))
    }
}
