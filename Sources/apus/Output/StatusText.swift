// SPDX-License-Identifier: Apache-2.0
import ChatAPI

/// Accounts, contacts and requests as lines for people.
struct StatusText: Sendable {
    let style: Style

    func line(_ account: AccountSummary) -> String {
        var line = Plain.line(account.address) + "  "
        switch account.connection.phase {
        case .online: line += style.paint("online", .green)
        case .connecting: line += "connecting"
        case .waiting: line += style.paint("waiting", .yellow)
        case .failed: line += style.paint("failed", .red)
        case .offline: line += style.paint("offline", .dim)
        }
        if account.connection.isResumed { line += " (resumed)" }
        if !account.isEnabled { line += ", disabled" }
        if account.queued > 0 { line += ", \(account.queued) to send" }
        if let error = account.connection.error {
            line += ": " + Plain.line(error.description) + (error.hint.map { "; " + Plain.line($0) } ?? "")
        }
        return line
    }

    /// What the server's archive has, or had, and the profile has not; nil when that is nothing to speak of.
    func gaps(_ account: AccountSummary) -> String? {
        guard let gap = account.gaps?.last(where: \.isLoss) else { return nil }
        let day = gap.noticed.description.prefix(10)
        return "messages from before \(day) may be missing: the server's archive had lost its place"
    }

    /// One step of a connection, with its time of day.
    func line(_ entry: AccountTimeline.Entry) -> String {
        "\(entry.time.description.dropFirst(11).prefix(8))Z  \(Plain.line(entry.text))"
    }

    func line(_ contact: ContactSummary) -> String {
        let presence = contact.presence
        let mark: String
        switch presence.availability {
        case .chat, .online: mark = style.paint("online ", .green)
        case .away: mark = style.paint("away   ", .yellow)
        case .xa: mark = style.paint("xa     ", .yellow)
        case .dnd: mark = style.paint("busy   ", .red)
        case .offline: mark = style.paint("offline", .dim)
        case .unknown: mark = style.paint("unknown", .dim)
        }
        var line = mark + "  " + Plain.line(contact.address)
        if let name = contact.name, !name.isEmpty { line += "  " + Plain.line(name) }
        if let status = presence.status, !status.isEmpty { line += "  \"" + Plain.line(status) + "\"" }
        if contact.isAsked {
            line += "  (asked)"
        } else if contact.subscription != .both {
            line += "  (" + contact.subscription.rawValue + ")"
        }
        return line
    }

    func line(_ request: RequestSummary) -> String {
        let room = request.kind == .room ? "  room" + (request.inviter.map { ", from " + Plain.line($0) } ?? "") : ""
        return Plain.line(request.address) + room
            + (request.text.map { $0.isEmpty ? "" : "  \"" + Plain.line($0) + "\"" } ?? "")
    }
}
