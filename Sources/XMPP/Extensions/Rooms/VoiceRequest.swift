// SPDX-License-Identifier: Apache-2.0

/// A visitor asks to be heard; moderators answer with ``Room/answer(_:isGranted:)`` (XEP-0045 §7.13, §8.6).
public struct VoiceRequest: TypedForm {
    /// `http://jabber.org/protocol/muc#request`.
    public static let formType = RoomNames.requestNamespace

    /// What is asked for.
    public var role: RoomRole
    /// The real address of whoever asks.
    public var address: JID?
    /// The nickname of whoever asks.
    public var nickname: String?
    /// The answer; nil as long as there is none.
    public var isGranted: Bool?

    /// Makes a request of one's own.
    public init(role: RoomRole = .participant) { self.role = role }

    /// Reads the form that a moderator gets.
    public init?(_ form: DataForm) {
        guard let role = form["muc#role"]?.text.flatMap(RoomRole.init(rawValue:)), role == .participant else {
            return nil
        }
        self.role = role
        address = form["muc#jid"]?.addresses.first
        nickname = form["muc#roomnick"]?.text
        isGranted = nil
        guard address != nil || nickname?.isEmpty == false else { return nil }
    }

    /// The fields: of one's own request the role alone, of an answer all.
    public var fields: [DataForm.Field] {
        var fields = [DataForm.Field("muc#role", text: role.rawValue)]
        if let address { fields.append(DataForm.Field("muc#jid", text: address.description)) }
        if let nickname { fields.append(DataForm.Field("muc#roomnick", text: nickname)) }
        if let isGranted { fields.append(DataForm.Field("muc#request_allow", flag: isGranted)) }
        return fields
    }
}

extension Message {
    /// The request for a voice that a room hands to its moderators; nil when anybody but the room itself sends it.
    public var voiceRequest: VoiceRequest? {
        guard kind != .error, let from, from.isBare, from.local != nil else { return nil }
        return payloads(DataForm.name).lazy.compactMap { DataForm($0)?.typed(VoiceRequest.self) }.first
    }
}
