// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Foundation
package import Testing
package import XMPP

/// The usual exchanges, so that a test spells out only what it is about.
extension ScriptedPeer {
    package static let tlsFeature = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>"
    package static let bindFeatures =
        "<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/><sm xmlns='urn:xmpp:sm:3'/>"

    /// The mechanisms element with these names.
    package static func mechanisms(_ names: String...) -> String {
        "<mechanisms xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>"
            + names.map { "<mechanism>\($0)</mechanism>" }.joined() + "</mechanisms>"
    }

    /// Waits for the session's stream header.
    @discardableResult
    package func expectHeader(_ location: SourceLocation = #_sourceLocation) async -> Element? {
        let step = await next()
        guard case .header(let header) = step else {
            Issue.record("expected a stream header, got \(step?.description ?? "nothing")", sourceLocation: location)
            return nil
        }
        return header
    }

    /// Waits for the next element of the session and checks its name.
    @discardableResult
    package func expect(
        _ name: String, _ namespace: String? = nil, _ location: SourceLocation = #_sourceLocation
    ) async -> Element? {
        let step = await next()
        guard case .element(let element) = step, element.localName == name,
            namespace == nil || element.namespace == namespace
        else {
            Issue.record("expected <\(name)/>, got \(step?.description ?? "nothing")", sourceLocation: location)
            return nil
        }
        return element
    }

    /// Waits until the session closes the stream or the connection; gives the stream error it sent before, if any.
    @discardableResult
    package func expectEnd(_ location: SourceLocation = #_sourceLocation) async -> Element? {
        var error: Element?
        while let step = await next() {
            switch step {
            case .element(let element) where element.localName == "error": error = element
            case .element, .header: continue
            case .close: continue
            case .ended: return error
            case .broken(let reason):
                Issue.record("the session wrote broken XML: \(reason)", sourceLocation: location)
                return error
            }
        }
        Issue.record("the session did not end the connection", sourceLocation: location)
        return error
    }

    /// Checks that the session sends nothing for a short while.
    package func expectNothing(
        for span: Duration = .milliseconds(50), _ location: SourceLocation = #_sourceLocation
    ) async {
        if let step = await next(within: span) {
            Issue.record("expected nothing, got \(step)", sourceLocation: location)
        }
    }

    /// Answers a stream header with one of ours and these features.
    package func openStream(id: String = "s1", _ features: String) {
        inject(
            "<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
                + "xmlns:stream='http://etherx.jabber.org/streams' id='\(id)' from='\(domain)' version='1.0'>"
                + "<stream:features>\(features)</stream:features>")
    }

    /// The stream up to TLS: header, STARTTLS, proceed, header.
    package func acceptTLS(features: String = ScriptedPeer.tlsFeature) async {
        await expectHeader()
        openStream(id: "clear", features)
        await expect("starttls")
        inject("<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        await expectHeader()
    }

    /// A whole login with TLS and PLAIN or SCRAM-SHA-1, up to the answered `<bind/>`; the next element is up to the test.
    package func acceptLogin(
        jid: String = "juliet@example.org/balcony", password: String = "secret",
        features: String = ScriptedPeer.bindFeatures, resumes: Bool = false
    ) async {
        await acceptTLS()
        openStream(id: "tls", ScriptedPeer.mechanisms("SCRAM-SHA-1"))
        await acceptSCRAM(password: password)
        await expectHeader()
        openStream(id: "up", features)
        guard !resumes else { return }
        await acceptBind(jid: jid)
    }

    /// Answers `<bind/>`, and `<enable/>` where stream management is on offer.
    package func acceptBind(
        jid: String = "juliet@example.org/balcony", managed: Bool = true, id: String = "sm-1", location: String? = nil
    ) async {
        guard let bind = await expect("iq") else { return }
        inject(
            "<iq type='result' id='\(bind["id"] ?? "")'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                + "<jid>\(jid)</jid></bind></iq>")
        guard managed else { return }
        await expect("enable")
        let place = location.map { " location='\($0)'" } ?? ""
        inject("<enabled xmlns='urn:xmpp:sm:3' id='\(id)' resume='true'\(place)/>")
    }

    /// The server's side of SCRAM-SHA-1 with 4096 iterations.
    package func acceptSCRAM(password: String = "secret", tamper: Bool = false) async {
        guard let auth = await expect("auth"), let first = decodeBase64(auth.text) else { return }
        let clientFirst = String(decoding: first, as: UTF8.self)
        let bare =
            clientFirst.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).last.map(String.init)
            ?? ""
        let nonce = bare.split(separator: ",").first { $0.hasPrefix("r=") }.map { $0.dropFirst(2) } ?? ""
        let salt = Array("saltsalt".utf8)
        let serverFirst = "r=\(nonce)server,s=\(base64(salt)),i=4096"
        inject("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(base64(Array(serverFirst.utf8)))</challenge>")
        guard let response = await expect("response"), let final = decodeBase64(response.text) else { return }
        let clientFinal = String(decoding: final, as: UTF8.self)
        let withoutProof = clientFinal.components(separatedBy: ",p=").first ?? ""
        let authMessage = Array("\(bare),\(serverFirst),\(withoutProof)".utf8)
        let keys = SCRAMDerivation(hash: .sha1, salt: salt, iterations: 4096).keys(password: Array(password.utf8))
        var signature = hmac(.sha1, key: keys.serverKey, authMessage)
        if tamper { signature[0] ^= 1 }
        inject(
            "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(base64(Array("v=\(base64(signature))".utf8)))</success>"
        )
    }
}
