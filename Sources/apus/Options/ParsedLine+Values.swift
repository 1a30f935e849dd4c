// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension ParsedLine {
    private func wrong(_ text: String) -> CommandError { .usage(text, help: "apus \(command.name) --help") }

    /// A whole number of at least `least`.
    func number(_ option: String, atLeast least: Int = 1, default standard: Int) throws(CommandError) -> Int {
        guard let text = options[option] else { return standard }
        guard let value = Int(text), value >= least else {
            throw wrong("--\(option) takes a whole number of at least \(least), not \"\(text)\"")
        }
        return value
    }

    func port() throws(CommandError) -> UInt16? {
        guard let text = options["port"] else { return nil }
        guard let value = UInt16(text), value > 0 else {
            throw wrong("--port takes a number from 1 to 65535, not \"\(text)\"")
        }
        return value
    }

    /// A span of time: seconds, or a number with `ms`, `s`, `m` or `h`.
    func duration(_ option: String, default standard: Duration) throws(CommandError) -> Duration {
        guard let text = options[option] else { return standard }
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let units: [Substring: Double] = ["": 1, "s": 1, "ms": 0.001, "m": 60, "h": 3600]
        guard let number = Double(digits), number > 0, let unit = units[text.dropFirst(digits.count)],
            number * unit <= 86_400 * 365
        else { throw wrong("--\(option) takes a time such as 30s, 500ms or 2m, not \"\(text)\"") }
        return .milliseconds(Int64((number * unit * 1000).rounded()))
    }

    /// A SHA-256 digest: 64 hexadecimal digits, with colons between them or without.
    func digest(_ text: String?, _ option: String) throws(CommandError) -> String? {
        guard let text else { return nil }
        let digits = text.filter { $0 != ":" }.lowercased()
        guard digits.utf8.count == 64, digits.allSatisfy({ $0.isHexDigit && $0.isASCII }) else {
            throw wrong("--\(option) takes a SHA-256 digest of 64 hexadecimal digits, not \"\(text)\"")
        }
        return digits
    }

    func server() throws(CommandError) -> ServerSettings {
        if has("port") || has("direct-tls"), !has("host") {
            throw wrong("--port and --direct-tls go with --host")
        }
        if let url = options["websocket"] {
            guard !has("host") else { throw wrong("--websocket takes the place of --host") }
            guard url.lowercased().hasPrefix("wss://") else {
                throw wrong("--websocket takes a URL that begins with wss://")
            }
        }
        if let url = options["proxy"] {
            guard url.hasPrefix("socks5://") || url.hasPrefix("http://"), !url.contains("@") else {
                throw wrong("--proxy takes socks5://HOST:PORT or http://HOST:PORT; --proxy-login-file has the login")
            }
        } else if has("proxy-login-file") {
            throw wrong("--proxy-login-file goes with --proxy")
        }
        if has("key"), !has("cert") { throw wrong("--key goes with --cert") }
        return ServerSettings(
            host: options["host"], port: try port(), usesDirectTLS: has("direct-tls"),
            webSocket: options["websocket"], proxy: options["proxy"],
            authorityFile: options["ca"].map(FilePlace.absolute), allowsPlain: has("allow-plain"),
            pinnedCertificate: try digest(options["trust-certificate"], "trust-certificate"),
            clientCertificateFile: options["cert"].map(FilePlace.absolute),
            clientKeyFile: options["key"].map(FilePlace.absolute))
    }
}
