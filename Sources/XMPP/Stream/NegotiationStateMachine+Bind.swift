// SPDX-License-Identifier: Apache-2.0

/// From the login to the stream that carries stanzas (RFC 6120 §7, XEP-0198 §3 and §5).
extension NegotiationStateMachine {
    mutating func resuming(_ element: Element) -> Action {
        if element.matches(.managementResumed) { return resumed(element) }
        if element.matches(.managementFailed) {
            failedResumption = FailedResumption(element)
            return bind()
        }
        return unexpected(element)
    }

    mutating func resumed(_ element: Element) -> Action {
        guard let previous = configuration.resumption, element["previd"] == previous.previousID,
            let handled = element["h"].flatMap({ UInt32($0) })
        else { return violation("it resumed another stream than ours", .policyViolation) }
        state = .done
        return .resumed(ResumedStream(handled: handled, features: features, login: login))
    }

    mutating func bind() -> Action {
        guard features.offersBind else { return noBind() }
        var (request, binding) = bindRequest(resource: configuration.resource)
        binding.enables =
            configuration.sendsAhead && configuration.enablesManagement && features.offersStreamManagement
            && !features.requiresSession
        state = .binding(binding)
        return binding.enables ? .sendAll([request, StreamManagement.enable]) : .send(request)
    }

    mutating func noBind() -> Action { violation("it offers no way to bind an address", .unsupportedFeature) }

    func bindRequest(resource: String?, isSecond: Bool = false) -> (Element, Binding) {
        let triedWithoutResource = isSecond || resource == nil
        let id = "bind-\(configuration.nonce.prefix(12))-\(triedWithoutResource ? 2 : 1)"
        let request = Element(.iq) { iq in
            iq.attribute("type", "set")
            iq.attribute("id", id)
            iq.open(.bind)
            if let resource {
                iq.open(.bindResource)
                iq.text(resource)
                iq.close()
            }
            iq.close()
        }
        return (request, Binding(id: id, triedWithoutResource: triedWithoutResource))
    }

    mutating func binding(_ element: Element, _ binding: Binding) -> Action {
        if element.matches(.managementFailed), binding.refusals > 0 {
            var binding = binding
            binding.refusals -= 1
            state = .binding(binding)
            return .wait
        }
        guard element.matches(.iq), element["id"] == binding.id else { return unexpected(element) }
        if element["type"] == "error" { return refused(element, binding) }
        guard element["type"] == "result", let text = element.child(.bind)?.child(.bindJID)?.text,
            let jid = try? JID(text), jid.resource != nil
        else { return violation("it bound no address", .undefinedCondition) }
        guard isOurs(jid) else {
            return violation("it bound \(jid), which is not the account that logged in", .invalidFrom)
        }
        boundJID = jid
        if binding.enables {
            state = .enabling
            return .wait
        }
        guard !features.requiresSession else {
            let id = "session-\(configuration.nonce.prefix(12))"
            state = .session(id: id)
            return .send(
                Element(.iq, attributes: ["type": "set", "id": id], children: [Element(.session)]))
        }
        return enable()
    }

    private mutating func refused(_ element: Element, _ binding: Binding) -> Action {
        let error = StanzaError(inChildrenOf: StanzaContent(received: element))
        // RFC 6120 §7.7.2: take another resource where the one we wished for is refused.
        guard binding.triedWithoutResource else {
            var (request, next) = bindRequest(resource: nil, isSecond: true)
            next.enables = binding.enables
            next.refusals = binding.enables ? 1 : 0
            state = .binding(next)
            return next.enables ? .sendAll([request, StreamManagement.enable]) : .send(request)
        }
        return fail(
            XMPPError(
                .bindFailed, "the server gave us no address: \(error)", isRetryable: error.kind == .wait,
                underlying: error), nil)
    }

    /// T042: only what we logged in as; without an account whatever the server gives in its own domain.
    func isOurs(_ jid: JID) -> Bool {
        guard jid.domain == configuration.domain else { return false }
        return configuration.policy.isAnonymous ? jid.local != nil : jid.local == configuration.local
    }

    mutating func enable() -> Action {
        guard configuration.enablesManagement, features.offersStreamManagement else { return bound(nil) }
        state = .enabling
        return .send(StreamManagement.enable)
    }

    mutating func enabling(_ element: Element) -> Action {
        if element.matches(.managementEnabled) { return bound(EnabledManagement(element)) }
        if element.matches(.managementFailed) { return bound(nil) }
        return early(element)
    }

    mutating func bound(_ management: EnabledManagement?) -> Action {
        guard let boundJID else { return violation("no address is bound", nil) }
        state = .done
        return .bound(
            BoundStream(
                jid: boundJID, features: features, management: management, failedResumption: failedResumption,
                login: login))
    }
}
