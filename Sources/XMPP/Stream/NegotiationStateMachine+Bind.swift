// SPDX-License-Identifier: Apache-2.0

/// From the login to the stream that carries stanzas (RFC 6120 §7, XEP-0198 §3 and §5).
extension NegotiationStateMachine {
    mutating func resuming(_ element: Element) -> Action {
        if element.matches(.managementResumed) {
            guard let previous = configuration.resumption, element["previd"] == previous.previousID,
                let handled = element["h"].flatMap({ UInt32($0) })
            else { return violation("it resumed another stream than ours", .policyViolation) }
            state = .done
            return .resumed(ResumedStream(handled: handled, features: features, login: login))
        }
        if element.matches(.managementFailed) {
            failedResumption = FailedResumption(handled: element["h"].flatMap { UInt32($0) })
            return bind()
        }
        return unexpected(element)
    }

    mutating func bind() -> Action {
        guard features.offersBind else {
            return violation("it offers no way to bind an address", .unsupportedFeature)
        }
        return bind(resource: configuration.resource, triedWithoutResource: configuration.resource == nil)
    }

    private mutating func bind(resource: String?, triedWithoutResource: Bool) -> Action {
        let id = "bind-\(configuration.nonce.prefix(12))-\(triedWithoutResource ? 2 : 1)"
        state = .binding(id: id, triedWithoutResource: triedWithoutResource)
        return .send(
            Element(.iq) { iq in
                iq.attribute("type", "set")
                iq.attribute("id", id)
                iq.open(.bind)
                if let resource {
                    iq.open(.bindResource)
                    iq.text(resource)
                    iq.close()
                }
                iq.close()
            })
    }

    mutating func binding(_ element: Element, _ id: String, _ triedWithoutResource: Bool) -> Action {
        guard element.matches(.iq), element["id"] == id else { return unexpected(element) }
        if element["type"] == "error" {
            let error = StanzaError(inChildrenOf: StanzaContent(received: element))
            // RFC 6120 §7.7.2: take another resource where the one we wished for is refused.
            if !triedWithoutResource { return bind(resource: nil, triedWithoutResource: true) }
            return fail(
                XMPPError(
                    .bindFailed, "the server gave us no address: \(error)", isRetryable: error.kind == .wait,
                    underlying: error), nil)
        }
        guard element["type"] == "result", let text = element.child(.bind)?.child(.bindJID)?.text,
            let jid = try? JID(text),
            jid.resource != nil
        else { return violation("it bound no address", .undefinedCondition) }
        // T042: only what we logged in as.
        guard jid.domain == configuration.domain, jid.local == configuration.local else {
            return violation("it bound \(jid), which is not the account that logged in", .invalidFrom)
        }
        boundJID = jid
        guard !features.requiresSession else {
            let id = "session-\(configuration.nonce.prefix(12))"
            state = .session(id: id)
            return .send(
                Element(.iq, attributes: ["type": "set", "id": id], children: [Element(.session)]))
        }
        return enable()
    }

    mutating func enable() -> Action {
        guard configuration.enablesManagement, features.offersStreamManagement else { return bound(nil) }
        state = .enabling
        return .send(StreamManagement.enable)
    }

    mutating func enabling(_ element: Element) -> Action {
        if element.matches(.managementEnabled) {
            let resume = element["resume"]
            return bound(
                EnabledManagement(
                    id: element["id"], canResume: resume == "true" || resume == "1",
                    maximumSeconds: element["max"].flatMap { UInt32($0) }, location: element["location"]))
        }
        if element.matches(.managementFailed) { return bound(nil) }
        return early(element)
    }

    private mutating func bound(_ management: EnabledManagement?) -> Action {
        guard let boundJID else { return violation("no address is bound", nil) }
        state = .done
        return .bound(
            BoundStream(
                jid: boundJID, features: features, management: management, failedResumption: failedResumption,
                login: login))
    }
}
