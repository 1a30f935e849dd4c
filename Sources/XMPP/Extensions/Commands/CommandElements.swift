// SPDX-License-Identifier: Apache-2.0

/// The names of XEP-0050.
enum Commands {
    static let namespace = "http://jabber.org/protocol/commands"
    static let command = XMLName("command", namespace)
    static let actions = XMLName("actions", namespace)
    static let note = XMLName("note", namespace)
    static let sessionExpired = XMLName("session-expired", namespace)

    /// §2.2: asks for the first or the next step.
    static func request(
        _ node: String, sessionID: String?, action: CommandStep.Action?, form: DataForm?
    ) -> Element {
        Element(
            command, attributes: ["node": node, "sessionid": sessionID, "action": action?.rawValue],
            children: form.map { [$0.element] } ?? [])
    }
}

/// A step of a command, as whoever runs it shows it (XEP-0050 §3).
///
/// The form is data of somebody else: show who asks, and send nothing back that a person has not agreed to.
public struct CommandStep: Sendable, Hashable {
    /// How far the command is (§3.2).
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// It waits for the next step.
        case executing
        /// It is done.
        case completed
        /// It was given up.
        case canceled
    }

    /// What can be done next (§3.2).
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// What whoever runs it takes for the usual next thing.
        case execute
        /// Back to the step before.
        case previous = "prev"
        /// On to the next step.
        case next
        /// To the end.
        case complete
        /// Give up.
        case cancel
    }

    /// Something to tell the person (§3.5).
    public struct Note: Sendable, Hashable {
        /// How important it is.
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            /// For information.
            case info
            /// A warning.
            case warning = "warn"
            /// An error.
            case error
        }

        /// How important it is.
        public let kind: Kind
        /// The text.
        public let text: String

        /// Makes a note.
        public init(_ kind: Kind, _ text: String) {
            self.kind = kind
            self.text = text
        }
    }

    /// Who runs it; nil for one's own account.
    public let jid: JID?
    /// The command.
    public let node: String
    /// How far it is.
    public let status: Status
    /// What to fill in, or the result.
    public let form: DataForm?
    /// What to tell the person.
    public let notes: [Note]
    /// What can be done next; cancelling always can, while it runs.
    public let actions: Set<Action>
    /// What ``Action/execute`` does.
    public let defaultAction: Action
    let sessionID: String?
}

extension CommandStep {
    /// Reads a step; nil when it belongs to another command, or says nothing of how far it is.
    init?(_ element: Element, jid: JID?, node: String) {
        guard element.matches(Commands.command), element["node"] == node,
            let status = element["status"].flatMap(Status.init(rawValue:))
        else { return nil }
        self.jid = jid
        self.node = node
        self.status = status
        sessionID = element.filled("sessionid")
        form = element.child(DataForm.name).flatMap { DataForm($0) }
        notes = element.children(Commands.note).prefix(32).compactMap { note in
            let text = note.text.trimmingXMLSpace
            guard !text.isEmpty else { return nil }
            return Note(note["type"].flatMap(Note.Kind.init(rawValue:)) ?? .info, text)
        }
        guard status == .executing else {
            actions = []
            defaultAction = .execute
            return
        }
        let list = element.child(Commands.actions)
        var actions: Set<Action> = []
        for action in [Action.previous, .next, .complete]
        where list?.child(XMLName(action.rawValue, Commands.namespace)) != nil { actions.insert(action) }
        // §3.2: without a list the command has one step; without a word, the usual thing is the next step, or the end.
        if list == nil { actions = [.complete] }
        let named = list?["execute"].flatMap(Action.init(rawValue:))
        defaultAction =
            named.flatMap { actions.contains($0) ? $0 : nil }
            ?? (actions.contains(.next) ? .next : actions.contains(.complete) ? .complete : .execute)
        self.actions = actions.union([.cancel, .execute])
    }
}
