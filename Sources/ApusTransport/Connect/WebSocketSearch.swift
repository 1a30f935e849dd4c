// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// Asks a domain's HTTPS server for WebSocket endpoints, when nothing that DNS names could be reached (XEP-0156 §3).
///
/// Confined to the loop's thread.
// Unchecked: confined to the loop's thread; it is Sendable so that the loop can carry calls to it.
final class WebSocketSearch: @unchecked Sendable {
    /// So many endpoints of one document are tried.
    private static let endpointLimit = 4

    private weak var race: ConnectRace?
    private var documents: ArraySlice<WebSocketLookup.Document>
    private let maximumBytes: Int
    private var transfer: HTTPTransfer?
    private(set) var isPending = false

    init(race: ConnectRace, lookup: WebSocketLookup) {
        self.race = race
        documents = lookup.documents[...]
        maximumBytes = lookup.maximumBytes
    }

    func start() {
        guard let race, let document = documents.popFirst() else { return ended([]) }
        isPending = true
        let domain = race.target.domain
        let host = domain.hasPrefix("[") || IPAddress(domain)?.isIPv6 != true ? domain : "[\(domain)]"
        var request = HTTPRequest("https://\(host)\(document.path)", trust: race.target.tls.trust)
        request.maximumBytes = maximumBytes
        request.deadline = race.connector.webSocketLookupTimeout
        request.proxy = race.target.proxy
        request.server = race.connector.webSocketLookupServer
        transfer = HTTPClient.shared.start(request) { [weak self, loop = race.loop] result in
            loop.execute { [weak self] in self?.answered(result, document) }
        }
    }

    func stop() {
        transfer?.cancel()
        transfer = nil
        documents = []
        isPending = false
    }

    private func answered(_ result: Result<HTTPResponse, TransportError>, _ document: WebSocketLookup.Document) {
        guard isPending else { return }
        transfer = nil
        // A server that cannot be reached has no other document either.
        guard case .success(let response) = result else { return ended([]) }
        if response.status == 200 {
            let endpoints = document.endpoints(response.body).filter { $0.webSocketPath != nil && $0.usesDirectTLS }
            if !endpoints.isEmpty { return ended(Array(endpoints.prefix(WebSocketSearch.endpointLimit))) }
        }
        start()
    }

    private func ended(_ endpoints: [Endpoint]) {
        isPending = false
        // An empty list also lets a race that had run out of endpoints end.
        race?.begin(endpoints, isFound: false)
    }
}
