// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ApusTransport
import ChatAPI
import ChatKit
import Testing
import XMPP

@testable import ChatService

@Suite struct ChatErrorWordsTests {
    @Test(arguments: [
        ("the disk is full; free some space", "the disk is full", "free some space"),
        ("one; two; three", "one", "two; three"), ("nothing to do", "nothing to do", nil),
        (
            "Certificate of a.org names only b.org. Trust it only if you know it.",
            "certificate of a.org names only b.org",
            "trust it only if you know it"
        ),
        (
            "nowhere.invalid cannot be reached: no address. Check the spelling.",
            "nowhere.invalid cannot be reached: no address",
            "check the spelling"
        ),
        ("TLS failed", "TLS failed", nil),
        (
            "box may not be linked to unless the host is trusted by name",
            "box may not be linked to unless the host is trusted by name",
            "'apus account media JID --host HOST' trusts it"
        ),
    ])
    func `a line is taken apart into cause and next step`(line: String, cause: String, hint: String?) {
        let error = ChatAPIError(.fault, sentence: line)
        #expect(error.description == cause)
        #expect(error.hint == hint)
    }

    private static let codes: [(ChatError.Code, ChatAPIError.Code)] = [
        (.profileInUse, .busy), (.diskFull, .storage), (.newerProfile, .storage), (.closed, .leaving),
        (.unknownAccount, .unknownAccount), (.accountExists, .conflict), (.alreadyContact, .conflict),
        (.cannotAddYourself, .invalidArgument), (.unknownRequest, .notFound), (.notConnected, .network),
        (.requestFailed, .refused), (.passwordNeeded, .authentication), (.cancelled, .cancelled), (.other, .fault),
    ]

    @Test(arguments: codes)
    func `codes of the core keep their meaning`(code: ChatError.Code, expected: ChatAPIError.Code) {
        #expect(ChatAPIError(ChatError(code, "x")).code == expected)
    }

    private static let protocolCodes: [(XMPPError.Code, ChatAPIError.Code)] = [
        (.connectionFailed, .network), (.timedOut, .timeout), (.notAuthorized, .authentication),
        (.downgraded, .authentication), (.nameTaken, .conflict), (.registrationClosed, .refused),
        (.detailsNotAcceptable, .registrationFields), (.tlsFailed, .network),
    ]

    @Test(arguments: protocolCodes)
    func `codes of the protocol keep their meaning`(code: XMPPError.Code, expected: ChatAPIError.Code) {
        #expect(ChatAPIError(ChatError(XMPPError(code, "x"))).code == expected)
    }

    @Test(arguments: [
        (TLSError.Code.expired, true), (.nameMismatch(presented: ["b"]), true), (.protocolVersion, false),
    ])
    func `a certificate's fault is told from another of TLS`(code: TLSError.Code, isCertificate: Bool) {
        let tls = TransportError(.tls(TLSError(code, "x")), "x")
        let error = ChatAPIError(ChatError(XMPPError(.tlsFailed, "x", underlying: tls)))
        #expect(error.code == (isCertificate ? .certificate : .network))
    }
}
