// SPDX-License-Identifier: Apache-2.0
import ApusCrypto

/// A client session and a server with the bytes between them carried by hand.
final class TLSPair {
    let client: TLSSession
    let server: TestServer
    private let plaintext = TLSBuffer()
    private let output = TLSBuffer()
    private var hasStarted = false

    init(_ client: TLSConfiguration, _ server: TestServer) throws {
        self.client = try TLSSession(client)
        self.server = server
    }

    /// Carries bytes both ways, `chunk` at a time towards the client, until both are silent.
    func exchange(chunk: Int = .max) throws {
        if !hasStarted {
            hasStarted = true
            try client.start(output: output)
        }
        while true {
            serverReceived += server.receive(takeClientOutput())
            let bytes = server.takeOutput()
            if bytes.isEmpty, output.isEmpty { return }
            try deliver(bytes, chunk: chunk)
        }
    }

    /// Starts the client and gives what the server answers at first, undelivered.
    func firstServerFlight() throws -> [UInt8] {
        hasStarted = true
        try client.start(output: output)
        server.receive(takeClientOutput())
        return server.takeOutput()
    }

    /// Gives bytes to the client as if the server had sent them.
    func deliver(_ bytes: [UInt8], chunk: Int = .max) throws {
        var rest = bytes[...]
        repeat {
            let piece = Array(rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
            let result = Result { try receive(piece) }
            clientReceived += plaintext.bytes
            plaintext.removeAll()
            try result.get()
        } while !rest.isEmpty
    }

    private func receive(_ piece: [UInt8]) throws {
        try piece.withUnsafeBytes { bytes in
            _ = try client.receive(bytes, plaintext: plaintext, output: output)
        }
    }

    /// Answers the question about the certificate.
    func decide(_ accepts: Bool) throws {
        let result = Result { try client.decide(accepts: accepts, plaintext: plaintext, output: output) }
        clientReceived += plaintext.bytes
        plaintext.removeAll()
        _ = try result.get()
    }

    func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in try client.write(bytes, output: output) }
    }

    func close() { client.close(output: output) }

    func takeClientOutput() -> [UInt8] {
        let bytes = Array(output.bytes)
        output.removeAll()
        return bytes
    }

    /// All that the client has decrypted.
    private(set) var clientReceived: [UInt8] = []
    /// All that the server has decrypted.
    private(set) var serverReceived: [UInt8] = []
}

/// The error that a handshake ends with, or nil if it succeeds.
func handshakeError(
    of certificate: TestCertificate, trusting authorities: [String], identity: TLSIdentity = .domain("example.org"),
    pins: Set<[UInt8]> = [], _ settings: TestServer.Settings = .init()
) throws -> TLSError? {
    let trust = TLSTrust(usesSystemRoots: false, authorityFiles: authorities, pinnedCertificates: pins)
    let pair = try TLSPair(TLSConfiguration(identity: identity, trust: trust), TestServer(certificate, settings))
    do {
        try pair.exchange()
    } catch let error as TLSError {
        return error
    }
    guard pair.client.state == .established, pair.server.hasFinishedHandshake else {
        return TLSError(.handshake("stuck"), "the handshake did not come to an end")
    }
    return nil
}
