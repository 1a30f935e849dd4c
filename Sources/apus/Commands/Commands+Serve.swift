// SPDX-License-Identifier: Apache-2.0
import ApusDesktop
import ChatAPI
import ChatService
import Glibc

extension Commands {
    static let serve = CommandSpec(
        path: ["serve"], summary: "hold the profile and stay connected until stopped; with --port, for browsers too",
        options: [
            .value("port", "PORT", "serve the web app and its interface on this port; 0 takes a free one"),
            .value("address", "ADDRESS", "listen on this address; the default is 127.0.0.1, this machine alone"),
            OptionSpec(
                name: "origin", value: "URL", summary: "also answer to this name, such as https://chat.example.org",
                repeats: true),
            .value("web-cert", "FILE", "serve HTTPS with the certificate chain in this PEM file"),
            .value("web-key", "FILE", "take its key from this PEM file; the default is the same file"),
            .flag("local-ca", "serve HTTPS with a certificate of an authority that the profile makes for itself"),
            .flag("insecure", "allow other machines to connect without TLS"),
            .value("web-root", "DIR", "take the files of the web app from here"),
        ],
        discussion: """
            Ends in order, with status 0, on SIGTERM or Ctrl-C; other commands attach to it meanwhile. With --port,
            browsers sign in by a one-time link: on a terminal it is printed with a QR code; 'apus pair' makes more.
            """
    ) { context in
        guard let profile = try context.client as? ProfileClient else { return }
        let web = try WebOptions(context)
        switch try await profile.backend() {
        case .attached(let client) where web == nil || client.core.role == "serve":
            throw ChatAPIError(
                .busy, "'apus \(client.core.role)' holds the profile already, process \(client.core.process)",
                hint: "stop it first")
        case .attached, .holding: break
        }
        try await context.output.note(
            "serving profile \(context.profile) on \(profile.paths.socket.path), process \(try await profile.status().process)"
        )
        let running = try await web?.start(context, profile)
        do {
            try await connect(context)
            try await report(context, profile)
        } catch {
            await running?.stop()
            throw error
        }
        await running?.stop()
    }

    private static func report(_ context: Context, _ profile: ProfileClient) async throws {
        let text = StatusText(style: context.output.style)
        do {
            for try await event in profile.events(since: nil) {
                if case .connection(let account) = event.kind { try await context.output.note(text.line(account)) }
            }
        } catch let error as ChatAPIError where error.code == .cancelled {}
    }

    /// A profile without accounts is served too: one may be added later.
    private static func connect(_ context: Context) async throws(ChatAPIError) {
        do throws(ChatAPIError) {
            _ = try await context.client.connect(ConnectRequest(persists: true, timeout: .zero))
        } catch {
            guard error.code == .unknownAccount else { throw error }
            await context.output.warn(error.description)
        }
    }
}

/// What `serve` was told about browsers.
private struct WebOptions {
    var options: WebRunner.Options

    /// Nil when it serves none.
    init?(_ context: Context) throws {
        let line = context.line
        let others = ["address", "web-cert", "web-key", "local-ca", "insecure", "web-root"].filter(line.has)
        guard let text = line.options["port"] else {
            guard others.isEmpty, line.lists["origin"] == nil else {
                throw CommandError.usage("--\(others.first ?? "origin") goes with --port", help: "apus serve --help")
            }
            return nil
        }
        guard let port = UInt16(text) else {
            throw CommandError.usage(
                "--port takes a number from 0 to 65535, not \"\(text)\"", help: "apus serve --help")
        }
        options = WebRunner.Options(port: port, version: Commands.version)
        if let address = line.options["address"] {
            guard let address = WebAddress(address) else {
                throw CommandError.usage("--address takes an IP address, not \"\(address)\"", help: "apus serve --help")
            }
            options.address = address
        }
        for origin in line.lists["origin"] ?? [] { options.origins.append(try WebOrigins.origin(origin)) }
        options.certificateFile = line.options["web-cert"].map(FilePlace.absolute)
        options.keyFile = line.options["web-key"].map(FilePlace.absolute)
        options.permitsLocalPush = context.environment["APUS_TEST_LOCAL_PUSH"] == "1"
        options.usesLocalAuthority = line.has("local-ca")
        options.allowsPlain = line.has("insecure")
        options.root = line.options["web-root"].map(FilePlace.absolute)
        if let program = PictureProgram.installed() {
            options.scanner = { path in try await program.scan(path) }
        }
        options.makeQR = { text in QRCode(text).map { WebQR(size: $0.size, path: $0.path) } }
    }

    func start(_ context: Context, _ profile: ProfileClient) async throws -> WebRunner {
        let runner = try await WebRunner.start(options, client: profile, directory: profile.paths.directory)
        let url = runner.origin.text
        if isatty(1) == 1, !context.output.isJSON, !context.output.isQuiet {
            let code = try await runner.makeCode()
            try await Pairing.show(Pairing(url: WebPairing.url(runner.origin, code.code), code), context)
        } else {
            // A link that signs in belongs to no log.
            try await context.output.note("web app on \(url); 'apus pair' signs a browser in")
        }
        if let fingerprint = runner.fingerprint {
            try await context.output.note(
                "devices that install \(url)/apus-ca.crt trust this service; its SHA-256 is "
                    + CertificateQuestion.spaced(fingerprint))
        }
        if !runner.hasFiles {
            await context.output.warn("the files of the web app are not found; only its interface is served")
        }
        return runner
    }
}
