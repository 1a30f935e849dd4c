// SPDX-License-Identifier: Apache-2.0

/// The names of XEP-0045.
package enum RoomNames {
    package static let namespace = "http://jabber.org/protocol/muc"
    package static let userNamespace = namespace + "#user"
    package static let adminNamespace = namespace + "#admin"
    package static let ownerNamespace = namespace + "#owner"
    package static let requestNamespace = namespace + "#request"
    /// The node that names the rooms somebody is in (§6.7).
    static let roomsNode = namespace + "#rooms"
    /// The node that gives one's reserved nickname (§7.12).
    static let reservedNickname = "x-roomuser-item"

    package static let join = XMLName("x", namespace)
    static let history = XMLName("history", namespace)
    static let joinPassword = XMLName("password", namespace)

    package static let user = XMLName("x", userNamespace)
    static let item = XMLName("item", userNamespace)
    static let actor = XMLName("actor", userNamespace)
    static let reason = XMLName("reason", userNamespace)
    static let status = XMLName("status", userNamespace)
    static let destroy = XMLName("destroy", userNamespace)
    static let password = XMLName("password", userNamespace)
    static let invite = XMLName("invite", userNamespace)
    static let decline = XMLName("decline", userNamespace)
    static let `continue` = XMLName("continue", userNamespace)

    static let admin = XMLName("query", adminNamespace)
    static let adminItem = XMLName("item", adminNamespace)
    static let adminReason = XMLName("reason", adminNamespace)

    static let owner = XMLName("query", ownerNamespace)
    static let ownerDestroy = XMLName("destroy", ownerNamespace)
    static let ownerReason = XMLName("reason", ownerNamespace)
    static let ownerPassword = XMLName("password", ownerNamespace)
}
