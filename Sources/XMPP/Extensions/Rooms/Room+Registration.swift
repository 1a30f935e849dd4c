// SPDX-License-Identifier: Apache-2.0

/// Registering with a room: a place in its list of members and a nickname that nobody else gets (XEP-0045 §7.10).
extension Room {
    /// The field of ``registrationForm()`` with the nickname.
    public static let nicknameField = "muc#register_roomnick"

    /// What the room wants to know.
    ///
    /// ``RegistrationForm/isRegistered`` says that one is registered already.
    public func registrationForm() async throws -> RegistrationForm {
        let reply = try await session.get(Registration.request, to: address)
        guard let form = RegistrationForm(reply) else {
            throw XMPPError(.invalidReply, "\(address) does not say what it wants to know")
        }
        return form
    }

    /// Registers with the room, or changes what it knows (§7.10).
    ///
    /// Returns when the room has the request; it may want an administrator to agree. Throws `detailsNotAcceptable` when
    /// something required is missing, and with a ``StanzaError``: `conflict` when somebody has the nickname.
    /// - Parameters:
    ///   - form: The form of the room.
    ///   - values: What was filled in, by the name of the field.
    public func register(_ form: RegistrationForm, _ values: [String: [String]]) async throws {
        _ = try await session.set(try form.payload(values), to: address)
    }

    /// Registers a nickname with the room, where that is all it wants to know.
    public func register(nickname: String) async throws {
        try await register(try await registrationForm(), [Self.nicknameField: [nickname]])
    }

    /// Gives the registration up (XEP-0077 §3.2).
    public func unregister() async throws {
        _ = try await session.set(Registration.removal, to: address)
    }
}
