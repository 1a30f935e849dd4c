// SPDX-License-Identifier: Apache-2.0
import Testing
import XMPP
import XMPPTesting

extension OnlineSession {
    /// Waits for a request and answers it with a result; gives the request.
    @discardableResult
    func answer(_ payload: String = "", _ location: SourceLocation = #_sourceLocation) async -> Element? {
        let iq = await peer.expect("iq", nil, location)
        let from = iq?["to"].map { " from='\($0)'" } ?? ""
        peer.inject("<iq type='result' id='\(iq?["id"] ?? "")'\(from)>\(payload)</iq>")
        return iq
    }

    /// Waits for a request and answers it with a result; gives what was asked.
    @discardableResult
    func reply(_ payload: String = "", _ location: SourceLocation = #_sourceLocation) async -> Element {
        await answer(payload, location)?.children.first ?? Element(.iq)
    }

    /// Waits for a request and refuses it, repeating it as some servers do; gives the request.
    @discardableResult
    func refuse(
        _ condition: String, _ type: String = "cancel", detail: String = "",
        _ location: SourceLocation = #_sourceLocation
    ) async -> Element? {
        let iq = await peer.expect("iq", nil, location)
        let from = iq?["to"].map { " from='\($0)'" } ?? ""
        peer.inject(
            "<iq type='error' id='\(iq?["id"] ?? "")'\(from)>\(iq?.children.first?.xml ?? "")<error type='\(type)'>"
                + "<\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\(detail)</error></iq>")
        return iq
    }

    /// Answers the question what the account can do.
    @discardableResult
    func tellAccount(_ features: [String], isPersonalNode: Bool = true) async -> Element? {
        await answer(
            "<query xmlns='http://jabber.org/protocol/disco#info'>"
                + (isPersonalNode ? "<identity category='pubsub' type='pep'/>" : "")
                + features.map { "<feature var='\($0)'/>" }.joined() + "</query>")
    }
}

/// The code of the error that the work ends with, nil when it ends well.
func failureCode(_ work: () async throws -> Void) async -> XMPPError.Code? {
    do {
        try await work()
        return nil
    } catch { return (error as? XMPPError)?.code }
}
