// SPDX-License-Identifier: Apache-2.0

/// The elements of XEP-0352: whether somebody looks at this client now.
package enum ClientState {
    package static let namespace = "urn:xmpp:csi:0"
    package static let active = Element(XMLName("active", namespace))
    package static let inactive = Element(XMLName("inactive", namespace))

    package static func element(isActive: Bool) -> Element { isActive ? active : inactive }
}

extension XMPPSession {
    /// Tells the server whether somebody looks at this client now, and again on each new stream (XEP-0352 §4).
    ///
    /// While nobody does, the server keeps back what can wait, such as presence and typing; messages still come at
    /// once. Does nothing where the server does not offer it. A session begins active.
    public func setActive(_ isActive: Bool) {
        self.isActive = isActive
        tellClientState()
    }

    /// A new or resumed stream begins active, whatever was told before (§5), unless its login said otherwise.
    func clientStateBegins() {
        toldActive = !inlineFeatures.contains(ClientState.namespace)
        tellClientState()
    }

    /// What a login that binds an address says at once (XEP-0386 §3): nobody looks, or nothing, since streams begin active.
    var inlineClientState: [InlineBinding] {
        isActive ? [] : [InlineBinding(feature: ClientState.namespace, request: ClientState.inactive)]
    }

    /// Tells what the server does not know yet, where it can be told.
    func tellClientState() {
        guard isOnline, streamFeatures.offersClientState, toldActive != isActive else { return }
        toldActive = isActive
        // What was sent before goes out before.
        flush()
        write(ClientState.element(isActive: isActive))
    }
}
