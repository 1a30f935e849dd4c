// SPDX-License-Identifier: Apache-2.0

/// Hats that are put on people by commands of the room (XEP-0317 §4.3 to §4.5).
extension Room {
    /// The hats that the room has to put on.
    ///
    /// Throws ``XMPPError``: `notSupported` when the room has no such command for oneself; else as
    /// ``XMPPSession/runCommand(_:at:)``. Cancelling ends the wait.
    public func availableHats() async throws -> [Hat] {
        let items = try await run(.list, [:]).form?.items ?? []
        return items.prefix(1000).compactMap { item in
            func text(_ field: HatCommand.Field) -> String? {
                item.first { $0.name.map { field.names.contains($0) } == true }?.text
            }
            guard let uri = text(.uri), let title = text(.title) else { return nil }
            return Hat(uri: uri, title: title, hue: text(.hue).flatMap(Hat.hue))
        }
    }

    /// Puts a hat on somebody; everybody sees it then.
    ///
    /// A room takes one of its own hats by its ``Hat/uri``; on present servers any hat will do. Throws as
    /// ``availableHats()``, and `requestFailed` with the room's words when it does not want to.
    public func putHat(_ hat: Hat, on account: JID) async throws {
        _ = try await run(.assign, [.account: account.bare.description, .uri: hat.uri, .title: hat.title])
    }

    /// Takes a hat off somebody.
    ///
    /// Throws as ``putHat(_:on:)``.
    public func takeHat(_ hat: Hat, from account: JID) async throws {
        _ = try await run(.unassign, [.account: account.bare.description, .uri: hat.uri, .title: hat.title])
    }

    private func run(_ command: HatCommand, _ values: [HatCommand.Field: String]) async throws -> CommandStep {
        let offered = Set(try await session.commands(of: address).compactMap(\.node))
        guard let node = command.nodes.first(where: { offered.contains($0) }) else {
            throw XMPPError(.notSupported, "\(address) has no command for that")
        }
        var step = try await session.runCommand(node, at: address)
        if step.status == .executing {
            var filled: [String: [String]] = [:]
            for (field, value) in values {
                for name in field.names where step.form?[name] != nil { filled[name] = [value] }
            }
            step = try await session.continueCommand(step, with: filled)
        }
        let refusal = step.notes.first { $0.kind == .error }
        guard step.status == .completed, refusal == nil else {
            throw XMPPError(.requestFailed, "\(address) did not do it: \(refusal?.text ?? "it wants to know more")")
        }
        return step
    }
}

/// The commands, each in the specification's form and in that of present servers.
private enum HatCommand: String {
    case assign, unassign, list

    enum Field {
        case account, uri, title, hue

        var names: [String] {
            switch self {
            case .account: ["hats#jid", "jid"]
            case .uri: ["hats#uri", "hat_uri"]
            case .title: ["hats#title", "hat_title"]
            case .hue: ["hats#hue"]
            }
        }
    }

    var nodes: [String] {
        let own = "urn:xmpp:hats:commands:" + rawValue
        return switch self {
        case .assign: [own, "http://prosody.im/protocol/hats#add"]
        case .unassign: [own, "http://prosody.im/protocol/hats#remove"]
        case .list: [own]
        }
    }
}
