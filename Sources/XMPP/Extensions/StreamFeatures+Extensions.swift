// SPDX-License-Identifier: Apache-2.0

extension StreamFeatures {
    /// Reads the features that extensions define.
    mutating func readExtension(_ feature: Element) {
        switch (feature.localName, feature.namespace) {
        case ("authentication", SASL2.namespace): sasl2 = SASL2Offer(feature)  // XEP-0388 §2.1
        case ("csi", ClientState.namespace): offersClientState = true  // XEP-0352 §4.1
        case ("sm", StreamManagement.namespace): offersStreamManagement = true  // XEP-0198 §3
        case ("sasl-channel-binding", "urn:xmpp:sasl-cb:0"):  // XEP-0440 §3
            channelBindings = feature.children.prefix(32).compactMap { $0["type"] }
        case ("register", "http://jabber.org/features/iq-register"): offersRegistration = true  // XEP-0077 §3
        case ("register", "urn:xmpp:ibr-token:0"): offersTokenRegistration = true  // XEP-0445 §3
        case ("ver", "urn:xmpp:features:rosterver"): offersRosterVersioning = true  // RFC 6121 §2.6
        case ("sub", "urn:xmpp:features:pre-approval"): offersPreApproval = true  // RFC 6121 §3.4
        case ("auth", "http://jabber.org/features/iq-auth"): offersLegacyAuthentication = true  // XEP-0078
        default: break
        }
    }
}
