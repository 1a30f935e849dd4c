// SPDX-License-Identifier: Apache-2.0

/// One of the three kinds of stanza (RFC 6120 §8).
public enum Stanza: Sendable {
    /// A message.
    case message(Message)
    /// A presence.
    case presence(Presence)
    /// An info/query.
    case iq(IQ)

    /// The address that it came from; nil stands for one's own account.
    public var from: JID? {
        switch self {
        case .message(let message): message.from
        case .presence(let presence): presence.from
        case .iq(let iq): iq.from
        }
    }

    /// The identifier that its sender gave it.
    public var id: String? {
        switch self {
        case .message(let message): message.id
        case .presence(let presence): presence.id
        case .iq(let iq): iq.id
        }
    }
}
