// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import Foundation
import Testing
package import XMPP

/// The server's side of a login by XEP-0388.
extension ScriptedPeer {
    /// The offer of a server with all of it; the lists can be cut short.
    package static func sasl2(
        _ mechanisms: [String] = ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"],
        bind: [String]? = ["urn:xmpp:carbons:2", "urn:xmpp:sm:3"], resumes: Bool = true,
        tokens: [String]? = ["HT-SHA-256-EXPR", "HT-SHA-256-NONE"], upgrades: [String] = [],
        bindings: [String]? = ["tls-exporter", "tls-server-end-point"]
    ) -> String {
        var text = "<authentication xmlns='urn:xmpp:sasl:2'>"
        text += mechanisms.map { "<mechanism>\($0)</mechanism>" }.joined() + "<inline>"
        if resumes { text += "<sm xmlns='urn:xmpp:sm:3'/>" }
        if let bind {
            text +=
                "<bind xmlns='urn:xmpp:bind:0'><inline>" + bind.map { "<feature var='\($0)'/>" }.joined()
                + "</inline></bind>"
        }
        if let tokens {
            text +=
                "<fast xmlns='urn:xmpp:fast:0'>" + tokens.map { "<mechanism>\($0)</mechanism>" }.joined() + "</fast>"
        }
        text += "</inline>"
        text += upgrades.map { "<upgrade xmlns='urn:xmpp:sasl:upgrade:0'>\($0)</upgrade>" }.joined()
        text += "</authentication>"
        if let bindings {
            text +=
                "<sasl-channel-binding xmlns='urn:xmpp:sasl-cb:0'>"
                + bindings.map { "<channel-binding type='\($0)'/>" }.joined() + "</sasl-channel-binding>"
        }
        return text
    }

    /// The contents of `<success/>` for a fresh session.
    package static func bound(
        _ jid: String = "juliet@example.org/Apus~1", id: String = "sm-1", more: String = ""
    ) -> String {
        "<authorization-identifier>\(jid)</authorization-identifier><bound xmlns='urn:xmpp:bind:0'>"
            + "<enabled xmlns='urn:xmpp:sm:3' id='\(id)' resume='true'/></bound>\(more)"
    }

    /// A token as a server gives it.
    package static func token(_ secret: String, expiry: String = "2099-01-01T00:00:00Z") -> String {
        "<token xmlns='urn:xmpp:fast:0' token='\(secret)' expiry='\(expiry)'/>"
    }

    /// Answers a SCRAM login of SASL2 up to the proof of the server; gives `<authenticate/>` and the proof as base64.
    ///
    /// `h` is the downgrade protection of XEP-0474 for these lists, nil to leave it out.
    @discardableResult
    package func provingSCRAM(
        password: String = "secret", protecting: SASLOffer? = nil, rawProtection: String? = nil
    ) async -> (request: Element?, proof: String) {
        guard let request = await expect("authenticate", "urn:xmpp:sasl:2"),
            let initial = request.children.first(where: { $0.localName == "initial-response" }),
            let first = decodeBase64(initial.text)
        else { return (nil, "") }
        let hash: HashAlgorithm = request["mechanism"]?.contains("SHA-256") == true ? .sha256 : .sha1
        let clientFirst = String(decoding: first, as: UTF8.self)
        let bare =
            clientFirst.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false).last.map(String.init)
            ?? ""
        let nonce = bare.split(separator: ",").first { $0.hasPrefix("r=") }.map { $0.dropFirst(2) } ?? ""
        let salt = Array("saltsalt".utf8)
        var serverFirst = "r=\(nonce)server,s=\(base64(salt)),i=4096"
        if let protecting { serverFirst += ",h=\(base64(protecting.protectionHash(hash)))" }
        if let rawProtection { serverFirst += ",h=\(rawProtection)" }
        inject("<challenge xmlns='urn:xmpp:sasl:2'>\(base64(Array(serverFirst.utf8)))</challenge>")
        guard let step = await next(), case .element(let response) = step, response.localName == "response",
            let final = decodeBase64(response.text)
        else { return (request, "") }
        let withoutProof = String(decoding: final, as: UTF8.self).components(separatedBy: ",p=").first ?? ""
        let authMessage = Array("\(bare),\(serverFirst),\(withoutProof)".utf8)
        let keys = SCRAMDerivation(hash: hash, salt: salt, iterations: 4096).keys(password: Array(password.utf8))
        let signature = hmac(hash, key: keys.serverKey, authMessage)
        return (request, base64(Array("v=\(base64(signature))".utf8)))
    }

    /// A whole SCRAM login of SASL2 that ends with this success; gives `<authenticate/>`.
    @discardableResult
    package func acceptSASL2(_ success: String = ScriptedPeer.bound(), password: String = "secret") async -> Element? {
        let (request, proof) = await provingSCRAM(password: password)
        inject(
            "<success xmlns='urn:xmpp:sasl:2'><additional-data>\(proof)</additional-data>\(success)</success>")
        return request
    }

    /// Answers a login with a token; gives `<authenticate/>`, and whether the token was the right one.
    ///
    /// The channel is that of ``defaultInformation``.
    @discardableResult
    package func acceptToken(
        _ secret: String, _ success: String = ScriptedPeer.bound(), user: String = "juliet", lies: Bool = false
    ) async -> (request: Element?, isRight: Bool) {
        guard let request = await expect("authenticate", "urn:xmpp:sasl:2"),
            let initial = request.children.first(where: { $0.localName == "initial-response" }),
            let message = decodeBase64(initial.text), let mechanism = HTMechanism(name: request["mechanism"] ?? "")
        else { return (nil, false) }
        let bindings = ChannelBindings(Self.defaultInformation)
        let isRight = message == mechanism.initial(user: user, token: secret, bindings)
        var proof = mechanism.answer(token: secret, bindings)
        if lies { proof[0] ^= 1 }
        inject(
            "<success xmlns='urn:xmpp:sasl:2'><additional-data>\(base64(proof))</additional-data>\(success)</success>")
        return (request, isRight)
    }
}
