// SPDX-License-Identifier: Apache-2.0

/// Announces that rooms and invitations to them are understood (XEP-0045 §6.2, XEP-0249 §3), and which rooms one is in to
/// those who may know (XEP-0045 §6.7): nobody, unless the program says so.
public struct RoomsModule: SessionModule {
    /// Makes the module.
    public init() {}
    /// `http://jabber.org/protocol/muc`, `jabber:x:conference` and `urn:xmpp:hats:0`.
    public var features: [String] { [RoomNames.namespace, DirectInvitation.namespace, Hat.namespaces[0]] }
}
