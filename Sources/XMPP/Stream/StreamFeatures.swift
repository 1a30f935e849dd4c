// SPDX-License-Identifier: Apache-2.0

/// What the server offers at this point of the negotiation (RFC 6120 §4.3.2).
///
/// Features are read anew after each restart: nothing learnt before TLS or before login stays.
package struct StreamFeatures: Sendable, Hashable, Codable {
    package var offersStartTLS = false
    package var mechanisms: [String] = []
    /// The login of XEP-0388, nil where there is only that of RFC 6120.
    package var sasl2: SASL2Offer?
    /// Channel-binding types by XEP-0440; nil when the server does not say.
    package var channelBindings: [String]?
    package var offersBind = false
    /// The session request of RFC 3921 is there and not optional.
    package var requiresSession = false
    package var offersStreamManagement = false
    package var offersRegistration = false
    /// Accounts are made for guests with an invitation (XEP-0445).
    package var offersTokenRegistration = false
    package var offersRosterVersioning = false
    package var offersPreApproval = false
    /// The server can be told that nobody looks (XEP-0352).
    package var offersClientState = false
    /// The old login of XEP-0078 is offered; it is never used, but named in the error.
    package var offersLegacyAuthentication = false
    package var isEmpty = true

    package init() {}

    /// Whether a login that was made for the other offer fits this one just as well; the order of a list says nothing.
    package func offersSameLogin(as other: StreamFeatures) -> Bool {
        Set(mechanisms) == Set(other.mechanisms) && sasl2 == other.sasl2
            && channelBindings.map { Set($0) } == other.channelBindings.map { Set($0) }
    }

    package init(_ element: Element) {
        for feature in element.children {
            isEmpty = false
            switch (feature.localName, feature.namespace) {
            case ("starttls", Namespace.tls): offersStartTLS = true
            case ("mechanisms", Namespace.sasl):
                for mechanism in feature.children(.mechanism) {
                    let name = mechanism.text.trimmingXMLSpace
                    if !mechanisms.contains(name), mechanisms.count < 64 { mechanisms.append(name) }
                }
            case ("bind", Namespace.bind): offersBind = true
            case ("session", Namespace.session):
                requiresSession = !feature.children.contains { $0.localName == "optional" }
            default: readExtension(feature)
            }
        }
    }
}
