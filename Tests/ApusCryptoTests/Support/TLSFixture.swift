// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// An authority with a certificate for example.org, and pairs of client and server that use them.
struct TLSFixture {
    let authority: TestAuthority
    let certificate: TestCertificate

    init() throws {
        authority = try TestAuthority()
        certificate = try authority.issue(names: "DNS:example.org")
    }

    func pair(
        _ settings: TestServer.Settings = .init(), protocols: [String] = [], sendsServerName: Bool = true
    ) throws -> TLSPair {
        let trust = TLSTrust(usesSystemRoots: false, authorityFiles: [authority.authorityFile])
        return try TLSPair(
            TLSConfiguration(
                identity: .domain("example.org"), sendsServerName: sendsServerName, trust: trust,
                applicationProtocols: protocols),
            TestServer(certificate, settings))
    }
}

/// The TLS error that `body` throws, or nil if it throws none.
func tlsError(_ body: () throws -> Void) -> TLSError? {
    do {
        try body()
        return nil
    } catch {
        return error as? TLSError
    }
}
