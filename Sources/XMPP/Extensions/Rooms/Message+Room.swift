// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// Whether a room has a part in the message: a private message of an occupant, or an invitation (XEP-0045 §7.5, §7.8).
    package var isOfRoom: Bool { payload(XMLName("x", "http://jabber.org/protocol/muc#user")) != nil }
}
