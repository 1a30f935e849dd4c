// SPDX-License-Identifier: Apache-2.0

/// A certificate of one's own with its key.
public struct ClientCertificate: Sendable, Hashable {
    /// The path of a PEM file with the certificate, and behind it those of its issuers.
    public var certificateFile: String
    /// The path of a PEM file with its private key, without a pass phrase; may be the same file.
    public var keyFile: String

    /// Makes a reference to the files; they are read for each connection.
    public init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
