// SPDX-License-Identifier: Apache-2.0

/// What owners do (XEP-0045 §10).
extension Room {
    /// How the room behaves (§10.2); for owners.
    public func configuration() async throws -> RoomConfiguration {
        try await session.roomForm(of: address).1
    }

    /// Changes how the room behaves (§10.2); for owners.
    ///
    /// Only what the room knows and what is another value is sent. Give the result of ``configuration()`` with changes, or one
    /// that says nothing but the changes. Waits for the room's answer.
    public func configure(_ configuration: RoomConfiguration) async throws {
        try await session.configure(address, configuration)
    }

    /// The form behind ``configuration()``, with the texts and options of the server, to be shown to a person.
    public func configurationForm() async throws -> DataForm { try await session.roomForm(of: address).0 }

    /// Sends the form of ``configurationForm()`` filled in (§10.2).
    public func configure(_ form: DataForm) async throws {
        _ = try await session.set(Element(RoomNames.owner, children: [form.element]), to: address)
    }

    /// Destroys the room for everybody (§10.9); for owners.
    /// - Parameters:
    ///   - reason: What the others are told.
    ///   - alternative: Where to go instead.
    ///   - password: The password of the other room.
    public func destroy(reason: String? = nil, alternative: JID? = nil, password: String? = nil) async throws {
        let children =
            (password.map { [Element(RoomNames.ownerPassword, text: $0)] } ?? [])
            + (reason.map { [Element(RoomNames.ownerReason, text: $0)] } ?? [])
        let destroy = Element(
            RoomNames.ownerDestroy, attributes: ["jid": alternative?.bare.description], children: children)
        _ = try await session.set(Element(RoomNames.owner, children: [destroy]), to: address)
    }
}

extension XMPPSession {
    func roomForm(of room: JID) async throws -> (DataForm, RoomConfiguration) {
        let reply = try await get(Element(RoomNames.owner), to: room)
        guard let form = reply.payload?.child(DataForm.name).flatMap({ DataForm($0) }),
            let configuration = form.typed(RoomConfiguration.self)
        else { throw XMPPError(.invalidReply, "\(room) does not say how it can be set up") }
        return (form, configuration)
    }

    func configure(_ room: JID, _ configuration: RoomConfiguration) async throws {
        let (form, _) = try await roomForm(of: room)
        _ = try await set(Element(RoomNames.owner, children: [configuration.changes(to: form).element]), to: room)
    }

    /// Lets others into a room that one just made (§10.1.2, §10.1.3).
    func unlock(_ room: JID, _ creation: RoomCore.Creation) async throws {
        switch creation {
        case .reserved(let configuration): try await configure(room, configuration)
        case .instant:
            _ = try await set(Element(RoomNames.owner, children: [DataForm(.submit).element]), to: room)
        }
    }
}
