// SPDX-License-Identifier: Apache-2.0
import ApusDesktop
import ChatAPI
import ChatService
import Glibc

extension Commands {
    static let browsers = [pair, listSessions, revokeSession, webPassword]

    private static let pair = CommandSpec(
        path: ["pair"], summary: "sign a browser in: print a one-time link for 'apus serve --port', and its QR code",
        discussion: """
            The link is good once and for ten minutes. Whoever opens it can read and write everything in the profile, and
            so can whoever runs the service.
            """
    ) { context in
        let (access, directory) = try access(context)
        guard let origin = WebRunner.running(directory: directory) else {
            throw ChatAPIError(
                .notFound, "no service for browsers runs for the profile \(context.profile)",
                hint: "start one with 'apus serve --port 8420'")
        }
        let code = try await access.apart { (access) throws(ChatAPIError) in try access.makeCode() }
        try await Pairing.show(Pairing(url: WebPairing.url(origin, code.code), code), context)
    }

    private static let listSessions = CommandSpec(
        path: ["sessions"], summary: "list the browsers that are signed in"
    ) { context in
        let sessions = try access(context).0.read().sessions
        if context.output.isJSON {
            return try await context.output.json("sessions", SessionList(sessions: sessions.map { SessionRow($0) }))
        }
        if sessions.isEmpty { try await context.output.note("no browser is signed in") }
        for session in sessions {
            try await context.output.line(
                "\(session.id)  \(session.created.description.prefix(10))  used \(session.used.description.prefix(10))  "
                    + Plain.line(session.label))
        }
    }

    private static let revokeSession = CommandSpec(
        path: ["sessions", "revoke"], summary: "sign a browser out",
        arguments: [ArgumentSpec(name: "ID", isRequired: false, summary: "its name in the list")],
        options: [.flag("all", "sign all of them out")]
    ) { context in
        let access = try access(context).0
        if context.line.has("all") {
            let count = try await access.apart { (file) throws(ChatAPIError) in
                try file.change { (access) throws(ChatAPIError) in
                    defer { access.sessions = [] }
                    return access.sessions.count
                }
            }
            return try await context.output.note("signed out: \(count)")
        }
        guard !context.line.arguments.isEmpty else {
            throw CommandError.usage("ID is missing, or --all", help: "apus sessions revoke --help")
        }
        let name = context.argument(0)
        guard try await access.apart({ (access) throws(ChatAPIError) in try access.revoke(name) }) else {
            throw ChatAPIError(
                .notFound, "there is no session \(context.argument(0))", hint: "'apus sessions' lists them")
        }
        try await context.output.note("signed out: \(context.argument(0))")
    }

    private static let webPassword = CommandSpec(
        path: ["sessions", "password"], summary: "ask for a password besides the one-time code",
        options: [CommandSpec.password, .flag("none", "ask for none any more")]
    ) { context in
        let access = try access(context).0
        guard !context.line.has("none") else {
            try await set(nil, access)
            return try await context.output.note("no password is asked for")
        }
        let password = try await Secrets.password(context, prompt: "Password for signing browsers in", confirms: true)
        guard password.utf8.count >= 8 else {
            throw ChatAPIError(.invalidArgument, "the password is too short", hint: "take eight characters or more")
        }
        try await set(password, access)
        try await context.output.note("the password is asked for from now on; browsers that are signed in stay so")
    }

    private static func set(_ password: String?, _ file: WebAccessFile) async throws {
        try await file.apart { (file) throws(ChatAPIError) in
            let kept = password.map { WebAccess.Password($0) }
            try file.change { (access) throws(ChatAPIError) in access.password = kept }
        }
    }

    private static func access(_ context: Context) throws -> (WebAccessFile, String) {
        guard let profile = try context.client as? ProfileClient else {
            throw ChatAPIError(.fault, "this command has no profile")
        }
        try profile.paths.prepare()
        return (try WebAccessFile(profileDirectory: profile.paths.directory), profile.paths.directory)
    }
}

/// A link that signs a browser in, as it is printed.
struct Pairing: Encodable {
    let url: String
    let code: String
    let expires: Timestamp

    init(url: String, _ code: (code: String, expires: Timestamp)) {
        self.url = url
        self.code = code.code
        expires = code.expires
    }

    private enum CodingKeys: String, CodingKey {
        case url, code
        case expires = "expires_at"
    }

    static func show(_ pairing: Pairing, _ context: Context) async throws {
        if context.output.isJSON { return try await context.output.json("pairing", pairing) }
        try await context.output.line(pairing.url)
        guard isatty(1) == 1 else { return }
        if let code = QRCode(pairing.url) { try await context.output.line(code.terminalText()) }
        try await context.output.note(
            "Open the link or scan the code within ten minutes; it works once. Whoever does can read and write everything."
        )
    }
}

private struct SessionList: Encodable {
    let sessions: [SessionRow]
}

private struct SessionRow: Encodable {
    let id: String
    let label: String
    let created: Timestamp
    let used: Timestamp

    init(_ session: WebAccess.Session) {
        (id, label, created, used) = (session.id, session.label, session.created, session.used)
    }

    private enum CodingKeys: String, CodingKey {
        case id, label
        case created = "created_at"
        case used = "used_at"
    }
}
