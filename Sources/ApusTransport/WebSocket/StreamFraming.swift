// SPDX-License-Identifier: Apache-2.0

/// Translates between the bytes of a stream and the messages of a WebSocket, for one connection.
///
/// The channel knows nothing of what the messages hold; who uses it says how they become one stream. Confined to the
/// loop's thread.
package protocol StreamFraming: AnyObject {
    /// Takes bytes of the stream to send; calls `send` for each message that is complete.
    func outgoing(_ bytes: UnsafeRawBufferPointer, send: (UnsafeRawBufferPointer) -> Void)

    /// Takes a piece of a received message; calls `deliver` with bytes of the stream, valid during the call.
    func incoming(
        _ piece: UnsafeRawBufferPointer, begins: Bool, ends: Bool, deliver: (UnsafeRawBufferPointer) -> Void
    ) throws(WebSocketError)
}

/// How a target is reached over WebSocket.
package struct WebSocketOptions: Sendable {
    /// What both ends must agree to speak.
    package var subprotocol: String
    /// The largest message that is taken, in bytes.
    package var maximumMessageBytes: Int
    /// Makes the translation of a new connection.
    package var makeFraming: @Sendable () -> any StreamFraming
    /// Where the domain says by HTTPS which endpoints it has, nil to ask nowhere.
    package var lookup: WebSocketLookup?

    package init(
        subprotocol: String, maximumMessageBytes: Int, lookup: WebSocketLookup? = nil,
        makeFraming: @escaping @Sendable () -> any StreamFraming
    ) {
        self.subprotocol = subprotocol
        self.maximumMessageBytes = maximumMessageBytes
        self.lookup = lookup
        self.makeFraming = makeFraming
    }
}

/// Documents on a domain's HTTPS server that name WebSocket endpoints.
package struct WebSocketLookup: Sendable {
    package struct Document: Sendable {
        /// From the root, with the slash.
        package var path: String
        /// The endpoints that the body names; none for one that cannot be read.
        package var endpoints: @Sendable (_ body: [UInt8]) -> [Endpoint]

        package init(_ path: String, endpoints: @escaping @Sendable (_ body: [UInt8]) -> [Endpoint]) {
            self.path = path
            self.endpoints = endpoints
        }
    }

    /// Asked in this order, until one names an endpoint.
    package var documents: [Document]
    /// The largest document that is taken.
    package var maximumBytes: Int

    package init(_ documents: [Document], maximumBytes: Int = 64 * 1024) {
        self.documents = documents
        self.maximumBytes = maximumBytes
    }
}
