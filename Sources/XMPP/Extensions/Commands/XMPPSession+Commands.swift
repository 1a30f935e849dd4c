// SPDX-License-Identifier: Apache-2.0

extension XMPPError.Code {
    /// Whoever runs the command has forgotten it: begin again.
    public static let commandExpired = Self(rawValue: "commandExpired")
}

extension XMPPSession {
    /// The commands that an entity runs for this account (XEP-0050 §2.1).
    ///
    /// Throws ``XMPPError``, with a ``StanzaError`` when the entity refuses. Cancelling ends the wait.
    /// - Parameter jid: The entity; nil asks one's own account.
    public func commands(of jid: JID? = nil) async throws -> [DiscoItem] {
        try await discoverItems(of: jid, node: Commands.namespace)
    }

    /// Begins a command; gives its first step (XEP-0050 §2.2).
    ///
    /// Throws ``XMPPError``, with a ``StanzaError`` when the entity does not run it for this account. Cancelling ends the
    /// wait; the command may go on until the entity forgets it.
    public func runCommand(_ node: String, at jid: JID? = nil) async throws -> CommandStep {
        let request = Commands.request(node, sessionID: nil, action: .execute, form: nil)
        return try await step(request, jid, node, sessionID: nil)
    }

    /// Goes on with a command (XEP-0050 §2.3); gives the next step.
    ///
    /// Throws ``XMPPError``: `invalidArgument` for an action that the step does not have, ``XMPPError/Code/commandExpired``
    /// when the entity has forgotten the command, else with its ``StanzaError``. Cancelling ends the wait.
    /// - Parameters:
    ///   - step: The step that is answered.
    ///   - action: What to do. Defaults to the usual thing.
    ///   - values: What was filled in, by the name of the field; hidden fields go back as they came.
    public func continueCommand(
        _ step: CommandStep, _ action: CommandStep.Action = .execute, with values: [String: [String]] = [:]
    ) async throws -> CommandStep {
        guard step.actions.contains(action) else {
            throw XMPPError(.invalidArgument, "the command cannot do that now")
        }
        // Some take the plain word for the beginning of the command.
        let action = action == .execute && step.actions.contains(step.defaultAction) ? step.defaultAction : action
        let sendsForm = action != .cancel && action != .previous && step.form?.kind == .form
        let request = Commands.request(
            step.node, sessionID: step.sessionID, action: action,
            form: sendsForm ? step.form?.filled(with: values) : nil)
        return try await self.step(request, step.jid, step.node, sessionID: step.sessionID)
    }

    private func step(
        _ request: Element, _ jid: JID?, _ node: String, sessionID: String?
    ) async throws -> CommandStep {
        let reply: IQ
        do {
            reply = try await set(request, to: jid)
        } catch let error as XMPPError where error.stanzaError?.application?.matches(Commands.sessionExpired) == true {
            throw XMPPError(
                .commandExpired, "the command has expired; begin again", underlying: error.stanzaError)
        }
        guard let element = reply.payload, let step = CommandStep(element, jid: jid, node: node),
            sessionID == nil || step.sessionID == sessionID
        else { throw XMPPError(.invalidReply, "the answer is no step of the command \(node)") }
        return step
    }
}
