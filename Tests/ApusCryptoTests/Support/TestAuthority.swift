// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A certificate with its key and the certificates to send behind it, as files in PEM form.
struct TestCertificate {
    var certificateFile: String
    var keyFile: String
    var chainFiles: [String] = []
}

/// A certificate authority made with the `openssl` command in a directory that goes away with it.
final class TestAuthority {
    struct CommandFailure: Error {
        var arguments: [String]
        var output: String
    }

    /// What kind of key a certificate gets.
    enum Key: String {
        case p256 = "ec -pkeyopt ec_paramgen_curve:P-256"
        case rsa2048 = "rsa:2048"
        case rsa1024 = "rsa:1024"
        case ed25519 = "ed25519"
    }

    /// The usual extensions of a server's certificate, before its names.
    static let serverUsage = "basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth\n"
    static let authorityUsage = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n"

    let directory: String
    private(set) var own: TestCertificate
    private let parentFiles: [String]
    private let ownsDirectory: Bool

    /// A root of its own, valid for a year.
    init(name: String = "Test Root") throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("apus-ca-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        ownsDirectory = true
        parentFiles = []
        own = TestCertificate(certificateFile: "", keyFile: "")
        own = try selfSigned(name, extensions: Self.authorityUsage)
    }

    private init(directory: String, own: TestCertificate) {
        self.directory = directory
        self.own = own
        parentFiles = [own.certificateFile] + own.chainFiles
        ownsDirectory = false
    }

    deinit {
        if ownsDirectory { try? FileManager.default.removeItem(atPath: directory) }
    }

    /// The file to trust.
    var authorityFile: String { own.certificateFile }

    /// A certificate of this authority; `names` is the value of subjectAltName in the command's syntax.
    func issue(
        _ commonName: String = "server", names: String?, usage: String = serverUsage, key: Key = .p256,
        hash: String = "sha256", from start: Date = .now - 86400, to end: Date = .now + 30 * 86400
    ) throws -> TestCertificate {
        let stem = "\(directory)/\(UUID().uuidString)"
        try openssl(
            ["req", "-new", "-newkey"] + key.rawValue.split(separator: " ").map(String.init)
                + ["-nodes", "-keyout", "\(stem).key", "-out", "\(stem).csr", "-subj", "/CN=\(commonName)"])
        try write(usage + (names.map { "subjectAltName=\($0)\n" } ?? ""), to: "\(stem).ext")
        try write("", to: "\(stem).index")
        try write(String(UInt64.random(in: 1 << 60...UInt64.max >> 1), radix: 16) + "\n", to: "\(stem).serial")
        try write(
            """
            [ca]
            default_ca=this
            [this]
            database=\(stem).index
            new_certs_dir=\(directory)
            policy=any
            unique_subject=no
            serial=\(stem).serial
            [any]
            commonName=supplied
            """, to: "\(stem).cnf")
        try openssl([
            "ca", "-batch", "-notext", "-config", "\(stem).cnf", "-in", "\(stem).csr",
            "-out", "\(stem).pem", "-cert", own.certificateFile, "-keyfile", own.keyFile, "-extfile", "\(stem).ext",
            "-md", key == .ed25519 ? "sha256" : hash, "-startdate", stamp(start), "-enddate", stamp(end),
        ])
        return TestCertificate(
            certificateFile: "\(stem).pem", keyFile: "\(stem).key", chainFiles: parentFiles)
    }

    /// An authority below this one.
    func authority(_ name: String, usage: String = authorityUsage, to end: Date = .now + 30 * 86400) throws
        -> TestAuthority
    {
        let start = min(Date.now - 86400, end - 86400)
        let certificate = try issue(name, names: nil, usage: usage, from: start, to: end)
        return TestAuthority(directory: directory, own: certificate)
    }

    /// A certificate that signs itself.
    func selfSigned(
        _ commonName: String = "server", extensions: String, key: Key = .p256, hash: String = "sha256"
    ) throws -> TestCertificate {
        let stem = "\(directory)/\(UUID().uuidString)"
        try write("[req]\ndistinguished_name=dn\nx509_extensions=v3\n[dn]\n[v3]\n\(extensions)", to: "\(stem).cnf")
        try openssl(
            ["req", "-x509", "-config", "\(stem).cnf", "-newkey"] + key.rawValue.split(separator: " ").map(String.init)
                + [
                    "-nodes", "-keyout", "\(stem).key", "-out", "\(stem).pem", "-subj", "/CN=\(commonName)",
                    "-days", "365", "-\(hash)",
                ])
        return TestCertificate(certificateFile: "\(stem).pem", keyFile: "\(stem).key")
    }

    /// The DER form of a certificate, as the command writes it.
    func der(of certificate: TestCertificate) throws -> [UInt8] {
        let file = "\(directory)/\(UUID().uuidString).der"
        try openssl(["x509", "-in", certificate.certificateFile, "-outform", "DER", "-out", file])
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
    }

    /// Writes a certificate's key again, behind a pass phrase.
    func encryptKey(of certificate: TestCertificate, to file: String) throws {
        try openssl(["pkey", "-in", certificate.keyFile, "-aes256", "-passout", "pass:secret", "-out", file])
    }

    func write(_ text: String, to file: String) throws {
        try text.write(toFile: file, atomically: true, encoding: .utf8)
    }

    private func stamp(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyyMMddHHmmss'Z'"
        return formatter.string(from: date)
    }

    private func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandFailure(arguments: arguments, output: String(decoding: output, as: UTF8.self))
        }
    }
}
