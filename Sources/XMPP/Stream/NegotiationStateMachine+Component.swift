// SPDX-License-Identifier: Apache-2.0

/// A part of a server instead of a client: no features, no login, no address to bind (XEP-0114 §3).
extension NegotiationStateMachine {
    var componentHeader: StreamHeader {
        StreamHeader(to: configuration.domain, namespace: ComponentStream.namespace)
    }

    /// The server's header has the identifier that the proof is made with.
    mutating func componentHeader(_ element: Element, carriesStanzas: Bool) -> Action {
        guard element.matches(.stream), carriesStanzas else {
            return violation("its stream header is wrong", .invalidNamespace)
        }
        guard let id = element["id"], !id.isEmpty else { return violation("its stream has no id", nil) }
        if let from = element["from"], (try? JID(from)) != (try? JID(configuration.domain)) {
            return violation("it is not the server of \(configuration.domain)", .invalidFrom)
        }
        state = .proving
        return .send(ComponentStream.handshake(id: id, secret: configuration.password ?? []))
    }

    /// The server takes the proof.
    mutating func proving(_ element: Element) -> Action {
        // What older servers send before has nothing to say to a component.
        if element.matches(.streamFeatures) { return .wait }
        guard element.matches(ComponentStream.accepted), let jid = try? JID(configuration.domain) else {
            return unexpected(element)
        }
        isAuthenticated = true
        boundJID = jid
        login.mechanism = "handshake"
        return bound(nil)
    }
}
