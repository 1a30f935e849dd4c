// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

/// The names under which the service may be called; a request for any other is none of ours.
///
/// A page of a foreign site can make a browser call us by a name of its own that resolves to this machine (DNS
/// rebinding). The Host header then has that name, and is refused on every path.
package struct WebOrigins: Hashable, Sendable {
    /// One name.
    package struct Origin: Hashable, Sendable {
        /// The host as the Host header has it: with a port unless that is the scheme's own.
        package let host: String
        /// The browser sees TLS, ours or that of a proxy in front.
        package let isSecure: Bool

        /// As browsers write it in an Origin header.
        package var text: String { (isSecure ? "https://" : "http://") + host }
    }

    private var origins: [String: Origin] = [:]
    /// The one that links are made with.
    package private(set) var preferred: Origin

    /// Names for what is reached directly: the loopback names, and the address if it is another one.
    package init(address: WebAddress, port: UInt16, isSecure: Bool, additional: [Origin] = []) {
        let own = address.isUnspecified ? [] : [address.inURL.lowercased()]
        let names = ["127.0.0.1", "localhost", "[::1]"] + own
        let suffix = port == (isSecure ? 443 : 80) ? "" : ":\(port)"
        preferred = Origin(host: (own.first ?? "127.0.0.1") + suffix, isSecure: isSecure)
        for name in names {
            origins[name + suffix] = Origin(host: name + suffix, isSecure: isSecure)
        }
        for origin in additional { origins[origin.host] = origin }
        if let first = additional.first { preferred = first }
    }

    package subscript(host: String) -> Origin? { origins[host] }

    /// Reads `https://name[:port]`.
    package static func origin(_ text: String) throws(ChatAPIError) -> Origin {
        let wrong = ChatAPIError(
            .invalidArgument, "\"\(text)\" is not an origin", hint: "give it as https://chat.example.org or with a port"
        )
        let lower = text.lowercased()
        let isSecure = lower.hasPrefix("https://")
        guard isSecure || lower.hasPrefix("http://") else { throw wrong }
        var host = String(lower.dropFirst(isSecure ? 8 : 7))
        if host.hasSuffix("/") { host.removeLast() }
        let standard = isSecure ? ":443" : ":80"
        if host.hasSuffix(standard) { host.removeLast(standard.utf8.count) }
        let allowed = host.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || "-.:[]".utf8.contains(byte)
        }
        guard !host.isEmpty, allowed, host.first != ":" else { throw wrong }
        return Origin(host: host, isSecure: isSecure)
    }

    /// Whether a request comes from a page of ours, as far as browsers tell; scripts outside of browsers tell nothing.
    ///
    /// `null` is the origin of files and of sandboxed frames.
    package func isOwn(_ head: WebHead, at origin: Origin) -> Bool {
        if let claimed = head.header("origin"), claimed.lowercased() != origin.text { return false }
        switch head.header("sec-fetch-site") {
        case nil, "same-origin": return true
        // Typed into the address bar.
        case "none": return head.method.isSafe
        default: return false
        }
    }
}
