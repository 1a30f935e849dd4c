// SPDX-License-Identifier: Apache-2.0

/// The namespaces of the core protocol (RFC 6120, RFC 6121); an extension keeps its own in its folder.
package enum Namespace {
    package static let client = "jabber:client"
    package static let streams = "http://etherx.jabber.org/streams"
    package static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
    package static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
    package static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    package static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    package static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    package static let session = "urn:ietf:params:xml:ns:xmpp-session"
}

extension XMLName {
    package static let message = XMLName("message", Namespace.client)
    package static let presence = XMLName("presence", Namespace.client)
    package static let iq = XMLName("iq", Namespace.client)
    package static let error = XMLName("error", Namespace.client)
    package static let body = XMLName("body", Namespace.client)
    package static let subject = XMLName("subject", Namespace.client)
    package static let thread = XMLName("thread", Namespace.client)
    package static let show = XMLName("show", Namespace.client)
    package static let status = XMLName("status", Namespace.client)
    package static let priority = XMLName("priority", Namespace.client)

    package static let stream = XMLName("stream", Namespace.streams)
    package static let streamError = XMLName("error", Namespace.streams)
    package static let streamFeatures = XMLName("features", Namespace.streams)

    package static let startTLS = XMLName("starttls", Namespace.tls)
    package static let proceed = XMLName("proceed", Namespace.tls)
    package static let tlsFailure = XMLName("failure", Namespace.tls)

    package static let mechanisms = XMLName("mechanisms", Namespace.sasl)
    package static let mechanism = XMLName("mechanism", Namespace.sasl)
    package static let auth = XMLName("auth", Namespace.sasl)
    package static let challenge = XMLName("challenge", Namespace.sasl)
    package static let response = XMLName("response", Namespace.sasl)
    package static let abort = XMLName("abort", Namespace.sasl)
    package static let success = XMLName("success", Namespace.sasl)
    package static let saslFailure = XMLName("failure", Namespace.sasl)

    package static let bind = XMLName("bind", Namespace.bind)
    package static let bindResource = XMLName("resource", Namespace.bind)
    package static let bindJID = XMLName("jid", Namespace.bind)
    package static let session = XMLName("session", Namespace.session)
}
