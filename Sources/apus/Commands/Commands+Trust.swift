// SPDX-License-Identifier: Apache-2.0
import ChatAPI

extension Commands {
    static let trustAccount = CommandSpec(
        path: ["account", "trust"], summary: "show or change which certificates an account accepts",
        arguments: [ArgumentSpec(name: "JID", summary: "the account's address")],
        options: [
            CommandSpec.pin,
            OptionSpec(
                name: "trust-key", value: "SHA256",
                summary: "besides, only accept valid certificates with one of these public keys; may be given again",
                repeats: true),
            OptionSpec(
                name: "ca", alias: "ca-file", value: "FILE",
                summary: "trust the authorities in this PEM file; may be given again", repeats: true),
            .flag("no-system-roots", "do not trust the authorities of the system"),
            .flag("forget", "go back to the authorities of the system alone, before the other options"),
            .flag("weaker-login", "let the next login be weaker than those before, once"),
        ],
        discussion: """
            Without options it shows what is set. A pinned certificate is accepted as it is, and no other; that is the
            only way to accept one that is self-signed or names another host. A pinned key makes a valid certificate
            needed and not enough: give the key in use and one that is kept for later. What is set holds from the next
            connection on.

            A login that is weaker than an earlier one is refused, since somebody in between would cause it. When the
            server was really changed, --weaker-login permits it once; what is used then is the new measure.
            """
    ) { context in
        let address = context.argument(0)
        let before = try await context.client.trust(TrustRequest(address: address))
        let wanted = try changed(before, context.line)
        let permits = context.line.has("weaker-login")
        let settings =
            wanted == before && !permits
            ? before
            : try await context.client.trust(
                TrustRequest(
                    address: address, settings: wanted == before ? nil : wanted,
                    permitsWeakerLogin: permits ? true : nil))
        if context.output.isJSON { return try await context.output.json("trust", settings) }
        for line in lines(settings) { try await context.output.line(line) }
        if permits {
            try await context.output.note("the next login may be weaker; it is the measure for those after it")
        }
    }

    private static func changed(_ settings: TrustSettings, _ line: ParsedLine) throws -> TrustSettings {
        var settings = line.has("forget") ? TrustSettings() : settings
        if let pin = try line.digest(line.options["trust-certificate"], "trust-certificate") {
            settings.pinnedCertificates = [pin]
        }
        for text in line.lists["trust-key"] ?? [] {
            guard let key = try line.digest(text, "trust-key"), !settings.pinnedKeys.contains(key) else { continue }
            settings.pinnedKeys.append(key)
        }
        for file in line.lists["ca"] ?? [] {
            let path = FilePlace.absolute(file)
            if !settings.authorityFiles.contains(path) { settings.authorityFiles.append(path) }
        }
        if line.has("no-system-roots") { settings.usesSystemRoots = false }
        return settings
    }

    private static func lines(_ settings: TrustSettings) -> [String] {
        if !settings.pinnedCertificates.isEmpty {
            return settings.pinnedCertificates.map { "certificate \(CertificateQuestion.spaced($0)), and no other" }
        }
        return (settings.usesSystemRoots ? ["authorities of the system"] : [])
            + settings.authorityFiles.map { "authorities in \(Plain.line($0))" }
            + settings.pinnedKeys.map { "with the key \(CertificateQuestion.spaced($0))" }
    }
}
