// SPDX-License-Identifier: Apache-2.0
import ApusTransport

extension ServerLocation {
    /// Reads a URL of `wss`; nil when it is none.
    package init?(webSocket text: String) {
        guard let endpoint = Endpoint(webSocketURL: text.trimmingXMLSpace), let path = endpoint.webSocketPath else {
            return nil
        }
        self.init(host: endpoint.host, port: endpoint.port, webSocketPath: path)
    }

    /// Where an error sent a stream that was inside a WebSocket: to another of its kind (RFC 7395 §3.6.1).
    init?(webSocketOf error: XMPPError) {
        guard case .seeOtherHost(let text)? = error.streamError?.condition else { return nil }
        self.init(webSocket: text)
    }
}
