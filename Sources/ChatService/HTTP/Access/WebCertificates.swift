// SPDX-License-Identifier: Apache-2.0
import ApusCrypto
import ChatAPI
import Foundation

/// An authority of this profile's own, and the certificate that it made for the service.
struct WebCertificates: Sendable {
    /// The authority's certificate, as PEM; what devices install.
    let authority: String
    /// The service's certificate and key, as PEM.
    let server: LocalAuthority.Pair

    /// Days before its end at which a certificate is made anew.
    static let renewalDays = 30

    /// Reads what is there, and makes what is missing, too old, or not for all of these names.
    init(folder: String, hosts: [String]) throws(ChatAPIError) {
        let (names, addresses) = Self.sorted(hosts)
        let broken = ChatAPIError(
            .storage, "the certificates in \(folder) cannot be made", hint: "remove ca.pem, ca.key and server.pem there"
        )
        var pair: LocalAuthority.Pair
        if let known = Self.read(folder + "/ca.pem", folder + "/ca.key"),
            LocalAuthority.isGood(known.certificate, days: Self.renewalDays, names: [], addresses: [])
        {
            pair = known
        } else {
            guard let made = LocalAuthority.make(name: "Apus on \(ProcessInfo.processInfo.hostName)") else {
                throw broken
            }
            pair = made
            try WebAccessFile.replace(folder + "/ca.key", with: Array(made.key.utf8))
            try WebAccessFile.replace(folder + "/ca.pem", with: Array(made.certificate.utf8))
            try? FileManager.default.removeItem(atPath: folder + "/server.pem")
        }
        authority = pair.certificate
        if let known = Self.read(folder + "/server.pem", folder + "/server.key"),
            LocalAuthority.isGood(known.certificate, days: Self.renewalDays, names: names, addresses: addresses)
        {
            server = known
            return
        }
        guard let made = LocalAuthority.makeServer(names: names, addresses: addresses, authority: pair) else {
            throw broken
        }
        server = made
        try WebAccessFile.replace(folder + "/server.key", with: Array(made.key.utf8))
        try WebAccessFile.replace(folder + "/server.pem", with: Array(made.certificate.utf8))
    }

    /// Hosts as they stand in URLs, taken apart into names and addresses.
    private static func sorted(_ hosts: [String]) -> ([String], [String]) {
        var (names, addresses): ([String], [String]) = ([], [])
        for host in hosts {
            var plain = host
            if let mark = plain.lastIndex(of: ":"), !plain.hasSuffix("]") { plain = String(plain[..<mark]) }
            if plain.hasPrefix("[") { plain = String(plain.dropFirst().dropLast()) }
            if let address = WebAddress(plain) {
                if !addresses.contains(address.text) { addresses.append(address.text) }
            } else if !names.contains(plain) {
                names.append(plain)
            }
        }
        return (names.sorted(), addresses.sorted())
    }

    private static func read(_ certificate: String, _ key: String) -> LocalAuthority.Pair? {
        guard let certificate = FileManager.default.contents(atPath: certificate),
            let key = FileManager.default.contents(atPath: key)
        else { return nil }
        return LocalAuthority.Pair(
            certificate: String(decoding: certificate, as: UTF8.self), key: String(decoding: key, as: UTF8.self))
    }
}
