// SPDX-License-Identifier: Apache-2.0
import ApusTransport
import Testing
import XMPP
import XMPPTesting

/// The other side of a transfer: it asks and answers, in whatever order requests and answers of the session come.
final class TransferScript: Sendable {
    private let online: OnlineSession
    private let early = Locked([Element]())

    init(_ online: OnlineSession) { self.online = online }

    var session: XMPPSession { online.session }
    var peer: ScriptedPeer { online.peer }

    /// The answer of the session to the request of that id.
    func answer(_ id: String, _ location: SourceLocation = #_sourceLocation) async -> Element? {
        await first("an answer to \(id)", location) { $0["id"] == id && $0["type"] != "set" && $0["type"] != "get" }
    }

    /// Waits for a request of the session, answers it with this content, and gives the request's payload.
    @discardableResult
    func reply(_ content: String = "", _ location: SourceLocation = #_sourceLocation) async -> Element {
        let iq = await request(location)
        let from = iq?["to"].map { "from='\($0)'" } ?? ""
        peer.inject("<iq type='result' id='\(iq?["id"] ?? "")' \(from)>\(content)</iq>")
        return iq?.children.first ?? Element(.iq)
    }

    /// Waits for a request of the session and refuses it.
    func refuse(_ condition: String, _ location: SourceLocation = #_sourceLocation) async {
        let iq = await request(location)
        let from = iq?["to"].map { "from='\($0)'" } ?? ""
        peer.inject(
            "<iq type='error' id='\(iq?["id"] ?? "")' \(from)><error type='cancel'>"
                + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>")
    }

    func settle() async { await online.settle() }
    func end() async { await online.end() }

    private func request(_ location: SourceLocation) async -> Element? {
        await first("a request", location) { $0["type"] == "set" || $0["type"] == "get" }
    }

    private func first(
        _ what: String, _ location: SourceLocation, _ isWanted: (Element) -> Bool
    ) async -> Element? {
        let waiting = early.withLock { early -> Element? in
            early.firstIndex(where: isWanted).map { early.remove(at: $0) }
        }
        if let waiting { return waiting }
        while case .element(let element)? = await peer.next() {
            if isWanted(element) { return element }
            early.withLock { $0.append(element) }
        }
        Issue.record("\(what) did not come", sourceLocation: location)
        return nil
    }
}
