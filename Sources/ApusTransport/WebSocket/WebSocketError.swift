// SPDX-License-Identifier: Apache-2.0

/// How a WebSocket peer broke the protocol.
package enum WebSocketError: Error, Sendable, Hashable {
    /// The answer to the upgrade is not what RFC 6455 §4.1 asks for.
    case handshake(String)
    /// A rule of the framing (RFC 6455 §5).
    case framing(String)
    /// A message that is no UTF-8.
    case notUTF8
    /// A message that is not text.
    case notText
    /// A message or a handshake that is too large.
    case tooLarge
    /// A message that is not one whole piece of the protocol inside.
    case content(String)

    /// The code to close with (RFC 6455 §7.4.1).
    package var closeCode: UInt16 {
        switch self {
        case .handshake, .framing: 1002
        case .notText: 1003
        case .notUTF8: 1007
        case .content: 1008
        case .tooLarge: 1009
        }
    }

    /// One clause in plain words.
    package var summary: String {
        switch self {
        case .handshake(let reason): "its WebSocket handshake is wrong: \(reason)"
        case .framing(let reason): "its WebSocket framing is wrong: \(reason)"
        case .notUTF8: "it sent text that is not UTF-8"
        case .notText: "it sent a binary message"
        case .tooLarge: "it sent too large a message"
        case .content(let reason): "it sent a message that is wrong: \(reason)"
        }
    }
}
