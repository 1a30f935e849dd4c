// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let doctor = CommandSpec(
        path: ["doctor"], summary: "find out why an account or a server does not work",
        arguments: [
            ArgumentSpec(
                name: "JID", isRequired: false,
                summary: "an account's address or a domain; the profile's accounts when left out")
        ],
        options: [CommandSpec.password] + CommandSpec.server + [CommandSpec.pin, CommandSpec.timeout],
        discussion: """
            Looks at the DNS, the ports, TLS, the logins that are offered, the login itself and the services behind it,
            and says of each what is wrong and what can be done. The password is the one of the profile, else from
            --password-file or APUS_PASSWORD; without one the login is left out. The exit status is that of the first
            thing that does not work, 0 when everything does.
            """
    ) { context in
        var firstFailure: ChatAPIError?
        for request in try await requests(context) {
            let diagnosis = try await context.client.diagnose(request)
            if context.output.isJSON {
                try await context.output.json("diagnosis", diagnosis)
            } else {
                for line in DiagnosisText(style: context.output.style).lines(diagnosis) {
                    try await context.output.line(line)
                }
            }
            if firstFailure == nil, let cause = diagnosis.cause { firstFailure = failure(cause, diagnosis) }
        }
        if let firstFailure { throw firstFailure }
    }

    private static func requests(_ context: Context) async throws -> [DiagnosisRequest] {
        let timeout = try context.line.duration("timeout", default: .seconds(10))
        let hasServer =
            CommandSpec.server.contains { context.line.has($0.name) } || context.line.has("trust-certificate")
        var server = hasServer ? try context.line.server() : nil
        if let (user, password) = try await Secrets.proxyLogin(context) {
            server?.proxyUser = user
            server?.proxyPassword = password
        }
        let hasPassword = context.line.has("password-file") || !(context.environment["APUS_PASSWORD"] ?? "").isEmpty
        let password = hasPassword ? try await Secrets.password(context, prompt: "") : nil
        let named = context.argument(0)
        guard named.isEmpty else {
            return [DiagnosisRequest(address: named, password: password, server: server, timeout: timeout)]
        }
        let accounts = try await context.client.status().accounts
        guard !accounts.isEmpty else {
            throw CommandError.usage(
                "the profile has no account; give an address or a domain to look at", help: "apus doctor --help")
        }
        return accounts.map {
            DiagnosisRequest(address: $0.address, password: password, server: server, timeout: timeout)
        }
    }

    private static func failure(_ cause: Diagnosis.Check, _ diagnosis: Diagnosis) -> ChatAPIError {
        var error = ChatAPIError(cause.code ?? .fault, cause.text, hint: cause.advice)
        error.certificate = cause.certificate
        return error
    }
}
