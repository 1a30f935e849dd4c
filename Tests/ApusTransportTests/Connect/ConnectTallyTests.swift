// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
@testable import ApusTransport
import Testing

@Suite("ConnectTally")
struct ConnectTallyTests {
    private func attempt(_ code: TransportError.Code) -> TransportError {
        TransportError(code, "host:5222 (192.0.2.1) failed")
    }

    @Test("what never left this machine is told from what got an answer")
    func offline() {
        var tally = ConnectTally(domain: "example.test")
        #expect(!tally.isOffline)
        tally.lookupFailure = "the name server does not answer"
        #expect(tally.isOffline)
        tally.attempts = [TransportError(.unreachable, "a"), TransportError(.unreachable, "b")]
        #expect(tally.isOffline)
        tally.attempts.append(TransportError(.refused, "c"))
        #expect(!tally.isOffline)
    }

    @Test("one sentence says how far it got, what happened and what to do")
    func sentence() {
        var tally = ConnectTally(domain: "example.org")
        tally.deadline = .seconds(30)
        tally.endpointsFound = 3
        tally.attempts = [attempt(.refused), attempt(.refused), attempt(.unreachable)]
        tally.unanswered = 1
        #expect(
            tally.error(isTimedOut: true).description
                == "example.org cannot be reached: resolved 3 targets, 2 addresses refused, 1 address unreachable, "
                + "1 address did not answer within 30 seconds. Check the network connection, or try again later.")
    }

    @Test("the deadline is named also when nothing had been dialled by then")
    func nothingDialled() {
        var tally = ConnectTally(domain: "example.org")
        tally.deadline = .milliseconds(300)
        tally.endpointsFound = 1
        #expect(
            tally.error(isTimedOut: true).description
                == "example.org cannot be reached: resolved 1 target, no answer within 0.300 seconds. "
                + "Check the network connection, or try again later.")
    }

    @Test("a certificate that was refused comes before everything else, even before the deadline")
    func certificateFirst() {
        let failure = TLSError(.expired, "certificate of example.org expired")
        var tally = ConnectTally(domain: "example.org")
        tally.attempts = [attempt(.refused), TransportError(failure), attempt(.timedOut)]
        for isTimedOut in [true, false] {
            let error = tally.error(isTimedOut: isTimedOut)
            #expect(error.isCertificateFailure)
            #expect(
                error.description == "Certificate of example.org expired. The server's operator must renew it.")
        }
    }

    @Test("only what nobody needs to repair by hand is worth another try")
    func retryable() {
        for code in [TransportError.Code.refused, .timedOut, .reset, .truncated, .unreachable, .lookupFailed] {
            #expect(attempt(code).isRetryable)
        }
        #expect(!attempt(.serviceNotOffered).isRetryable)
        #expect(!attempt(.cancelled).isRetryable)
    }
}
