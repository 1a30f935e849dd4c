// SPDX-License-Identifier: Apache-2.0

/// One option of a command.
struct OptionSpec: Hashable, Sendable {
    let name: String
    var short: Character?
    /// Another name that means the same.
    var alias: String?
    /// What stands for the value in the usage; nil for a switch.
    let value: String?
    let summary: String
    /// The option may be given several times.
    var repeats = false

    static func flag(_ name: String, short: Character? = nil, _ summary: String) -> OptionSpec {
        OptionSpec(name: name, short: short, value: nil, summary: summary)
    }

    static func value(
        _ name: String, _ value: String, short: Character? = nil, alias: String? = nil, _ summary: String
    ) -> OptionSpec {
        OptionSpec(name: name, short: short, alias: alias, value: value, summary: summary)
    }
}

/// One positional argument of a command.
struct ArgumentSpec: Hashable, Sendable {
    let name: String
    var isRequired = true
    let summary: String
}

/// What a command is called, what it takes, and what it does.
struct CommandSpec: Sendable {
    let path: [String]
    let summary: String
    var arguments: [ArgumentSpec] = []
    var options: [OptionSpec] = []
    /// A paragraph for the help of this command alone.
    var discussion: String = ""
    /// The command works without a profile.
    var isAlone = false
    let run: @Sendable (Context) async throws -> Void

    var name: String { path.joined(separator: " ") }

    /// The options that every command takes.
    static let common: [OptionSpec] = [
        .value("profile", "NAME", "use this profile; the default is $APUS_PROFILE, or \"default\""),
        .flag("json", "print JSON with a schema name and version"),
        .value(
            "trace-xml", "FILE", "write what goes over the streams to FILE, or to standard error for -, without secrets"
        ),
        .flag("trace-text", "write the texts of messages too"),
        .flag("quiet", short: "q", "print nothing that was not asked for"),
        .flag("help", short: "h", "print this help"),
    ]

    static let account = OptionSpec.value("account", "JID", "the account to use, when the profile has several")
    static let password = OptionSpec.value(
        "password-file", "FILE", "read the password from the first line of FILE, or of standard input for -")
    static let keepPassword = OptionSpec.flag(
        "keep-password", "keep the password itself among your secrets, for servers that need it")
    static let timeout = OptionSpec.value("timeout", "TIME", "how long to wait, such as 30s or 2m; the default is 30s")
    static let pin = OptionSpec.value(
        "trust-certificate", "SHA256", "accept exactly the certificate with this digest, and no other")
    static let server: [OptionSpec] = [
        .value("host", "HOST", "connect to this host instead of looking the domain up"),
        .value("port", "PORT", "connect to this port"),
        .flag("direct-tls", "start TLS at once instead of by STARTTLS"),
        .value("websocket", "URL", "connect to this WebSocket (wss://…) instead of looking the domain up"),
        .value("proxy", "URL", "connect through this proxy: socks5://HOST:PORT or http://HOST:PORT"),
        .value("proxy-login-file", "FILE", "read user:password for the proxy from the first line of FILE"),
        .value("ca", "FILE", alias: "ca-file", "also trust the authorities in this PEM file"),
        .value("cert", "FILE", "log in with the client certificate in this PEM file"),
        .value("key", "FILE", "take its key from this PEM file; the default is the same file"),
        .flag("allow-plain", "send the password itself, inside TLS, when the server offers nothing better"),
    ]
}
