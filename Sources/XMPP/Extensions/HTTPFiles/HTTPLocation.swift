// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// The parts of an `https` or `http` URL that decide where a connection goes, read strictly (RFC 3986 §3).
///
/// What two readers could understand in two ways is refused: user names, backslashes, spaces, control and other
/// characters that have to be escaped. The text itself stays as it is, byte for byte (XEP-0363 §4).
struct HTTPLocation: Sendable, Hashable {
    static let longest = 4096

    let url: String
    let isEncrypted: Bool
    /// In lower case; an IPv6 address without brackets.
    let host: String
    let port: UInt16
    /// With its slash in front, without query and fragment.
    let path: Substring

    /// Nil for a URL of another kind, or one that is malformed.
    init?(_ url: String) {
        guard url.utf8.count <= Self.longest, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !url.utf8.contains(where: { "\"<>\\^`{|}".utf8.contains($0) }), let border = url.firstRange(of: "://")
        else { return nil }
        switch url[..<border.lowerBound].lowercased() {
        case "https": isEncrypted = true
        case "http": isEncrypted = false
        default: return nil
        }
        let rest = url[border.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.contains("@"), let (host, port) = Self.split(authority) else { return nil }
        self.host = host.lowercased()
        self.port = port ?? (isEncrypted ? 443 : 80)
        guard self.port > 0 else { return nil }
        path = rest[authority.endIndex...].prefix { $0 != "?" && $0 != "#" }
        self.url = url
    }

    /// The last part of the path as people would read it: escapes decoded, nothing that leads elsewhere on a disk.
    var fileName: String? {
        guard let last = path.split(separator: "/").last else { return nil }
        return FileMetadata(name: PercentCoding.decode(String(last)) ?? String(last)).safeName
    }

    private static func split(_ authority: Substring) -> (String, UInt16?)? {
        var host = authority
        var port: Substring?
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            guard IPAddress(String(host))?.isIPv6 == true else { return nil }
            let rest = authority[authority.index(after: end)...]
            if !rest.isEmpty {
                guard rest.first == ":" else { return nil }
                port = rest.dropFirst()
            }
        } else {
            if let colon = authority.firstIndex(of: ":") {
                host = authority[..<colon]
                port = authority[authority.index(after: colon)...]
            }
            guard isName(host) else { return nil }
        }
        guard let port, !port.isEmpty else { return (String(host), nil) }
        guard port.allSatisfy(\.isWholeNumber), let number = UInt16(port) else { return nil }
        return (String(host), number)
    }

    /// Letters, digits, hyphens and underscores between dots; a name that ends in digits has to be a whole IPv4 address,
    /// so that no short or hexadecimal form of one gets through.
    private static func isName(_ host: Substring) -> Bool {
        guard (1...253).contains(host.utf8.count) else { return false }
        var labels = host.split(separator: ".", omittingEmptySubsequences: false)
        if labels.last?.isEmpty == true { labels.removeLast() }
        guard !labels.isEmpty, labels.allSatisfy({ (1...63).contains($0.utf8.count) }),
            host.utf8.allSatisfy({ byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
                default: false
                }
            }), let last = labels.last
        else { return false }
        let isNumeric = last.utf8.allSatisfy { (0x30...0x39).contains($0) } || last.lowercased().hasPrefix("0x")
        guard isNumeric else { return true }
        // The C library takes 010 for eight: no leading zeros.
        return IPAddress(String(host)) != nil && labels.allSatisfy { $0 == "0" || $0.first != "0" }
    }
}
