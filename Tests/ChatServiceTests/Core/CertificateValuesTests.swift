// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import ChatAPI
import ChatKit
import Foundation
import Testing
import XMPP

@testable import ChatService

@Suite struct CertificateValuesTests {
    @Test(arguments: [
        String(repeating: "0a", count: 32), String(repeating: "0A", count: 32),
        Array(repeating: "0a", count: 32).joined(separator: ":"),
        Array(repeating: "0a", count: 32).joined(separator: " "),
    ])
    func `a digest is read with colons, spaces and in either case`(text: String) throws {
        #expect(try TrustSettings.digests([text]) == [[UInt8](repeating: 10, count: 32)])
    }

    @Test(arguments: [
        "", "0a", String(repeating: "0a", count: 31), String(repeating: "0a", count: 33),
        String(repeating: "+1", count: 32), String(repeating: "0g", count: 32), String(repeating: "é", count: 32),
    ])
    func `anything else is no digest`(text: String) {
        let error = #expect(throws: ChatAPIError.self) { try TrustSettings.digests([text]) }
        #expect(error?.code == .invalidArgument)
    }

    @Test func `trust settings survive the way there and back`() throws {
        var settings = AccountSettings()
        settings.usesSystemRoots = false
        settings.authorityFiles = ["/ca.pem"]
        settings.pinnedKeys = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)]
        settings.host = "h"
        var other = AccountSettings()
        other.host = "h"
        try TrustSettings(settings).apply(to: &other)
        #expect(other == settings)
    }

    @Test func `a step of a connection names its place and its reason`() throws {
        var timeline = ConnectionTimeline()
        let refused = XMPPError(
            .connectionFailed, "example.org:5222 refused the connection", isRetryable: true,
            underlying: TransportError(.refused, "refused"))
        let place = ConnectionTarget(Endpoint(host: "example.org", port: 5222))
        timeline.add(.targetFailed(place, refused), at: Date(timeIntervalSince1970: 0))
        let entry = try #require(AccountTimeline(try JID("ana@example.org"), timeline).entries.first)
        #expect(entry.kind == "target-failed")
        #expect(entry.target == "example.org:5222")
        #expect(entry.error?.code == .network)
        #expect(entry.time == Timestamp(milliseconds: 0))
    }

    @Test func `an error about a certificate carries what a user has to know`() throws {
        var tls = TLSError(.keyNotPinned, "has another key", peerCertificate: [1, 2, 3])
        #expect(
            ChatAPIError(ChatError(XMPPError(.tlsFailed, "x", underlying: TransportError(tls)))).code == .certificate)
        tls.expectedName = "example.org"
        // No certificate can be read from these bytes, so none is told.
        #expect(ChatAPIError(ChatError(XMPPError(.tlsFailed, "x", underlying: TransportError(tls)))).certificate == nil)
    }

    @Test func `values survive the wire`() throws {
        var error = ChatAPIError(.certificate, "refused")
        error.certificate = CertificateDetails(
            domain: "d", subject: "s", issuer: "i", names: ["n"], validUntil: Timestamp(milliseconds: 5),
            fingerprint: "f",
            keyFingerprint: "k", problems: [.expired, .wrongName], mayBePinned: true)
        let data = try JSONEncoder().encode(error)
        #expect(try JSONDecoder().decode(ChatAPIError.self, from: data) == error)
        let older = Data(#"{"code":"network","message":"m","retryable":true}"#.utf8)
        #expect(try JSONDecoder().decode(ChatAPIError.self, from: older).certificate == nil)
        let request = Data(#"{"usesDirectTLS":false,"allowsPlain":true}"#.utf8)
        #expect(try JSONDecoder().decode(ServerSettings.self, from: request).pinnedCertificate == nil)
    }
}
