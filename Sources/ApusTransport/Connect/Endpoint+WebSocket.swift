// SPDX-License-Identifier: Apache-2.0

extension Endpoint {
    /// A WebSocket endpoint; its certificate names the host of the URL (RFC 6455 §10.6), not the domain.
    package init(host: String, port: UInt16 = 443, webSocketPath: String) {
        self.init(host: host, port: port, usesDirectTLS: true)
        self.webSocketPath = webSocketPath
    }

    /// Reads `wss://host[:port][/path][?query]`; nil for every other scheme, and for user names and fragments.
    package init?(webSocketURL text: String) {
        let scheme = "wss://"
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            text.prefix(scheme.count).lowercased() == scheme, !text.contains("#"), !text.contains("\\")
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let border = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let tail = rest[border...]
        guard let (host, port) = Endpoint.authority(rest[..<border]) else { return nil }
        self.init(host: host, port: port ?? 443, webSocketPath: tail.first == "/" ? String(tail) : "/\(tail)")
    }

    /// Reads `host[:port]`, an IPv6 address in brackets; the host comes without them.
    package static func authority(_ text: Substring) -> (host: String, port: UInt16?)? {
        var host = text
        var port: UInt16?
        if text.last != "]", let colon = text.lastIndex(of: ":") {
            host = text[..<colon]
            let digits = text[text.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits), number > 0
            else { return nil }
            port = number
        }
        if host.first == "[" {
            guard let address = IPAddress(String(host)) else { return nil }
            return (address.description, port)
        }
        guard !host.isEmpty, host.utf8.count <= 253,
            host.utf8.allSatisfy({ byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."): true
                default: false
                }
            })
        else { return nil }
        return (host.lowercased(), port)
    }
}
