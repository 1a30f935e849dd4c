// SPDX-License-Identifier: Apache-2.0

/// Announces message receipts (XEP-0184 §6), and on request sends them by itself.
///
/// A program that stores messages sends a receipt when the message is stored, with ``Message/receipt(for:)``. One that
/// stores nothing, as a bot, may leave it to the module.
public struct ReceiptsModule: SessionModule {
    private let answers: Bool

    /// Makes the module.
    /// - Parameter answersByItself: Whether each message that asks is answered as soon as it is read. Defaults to false:
    ///   a receipt also tells that one is online, which not everybody shall know (XEP-0184 §8).
    public init(answersByItself: Bool = false) { answers = answersByItself }

    /// `urn:xmpp:receipts`.
    public var features: [String] { [ReceiptRequest.namespace] }

    /// The receipts, where they are sent by themselves.
    public var messageHandler: (@Sendable (Message) -> Message?)? {
        guard answers else { return nil }
        return { Message.receipt(for: $0) }
    }
}
