// SPDX-License-Identifier: Apache-2.0

/// Why a request to see somebody's presence makes no sense (RFC 6121 §3.1).
extension XMPPError.Code {
    /// The address is one's own.
    public static let yourself = Self(rawValue: "yourself")
    /// One sees the contact's presence already.
    public static let alreadySubscribed = Self(rawValue: "alreadySubscribed")
    /// The contact was asked already and has not answered.
    public static let alreadyRequested = Self(rawValue: "alreadyRequested")
    /// The text is no address.
    public static let invalidAddress = Self(rawValue: "invalidAddress")
}

extension XMPPError {
    static var yourself: XMPPError {
        XMPPError(.yourself, "this is your own address; you cannot be your own contact")
    }

    static func alreadySubscribed(_ jid: JID) -> XMPPError {
        XMPPError(.alreadySubscribed, "\(jid) is a contact already, and you see when they are online")
    }

    static func alreadyRequested(_ jid: JID) -> XMPPError {
        XMPPError(.alreadyRequested, "\(jid) was asked already; wait until they answer")
    }

    static func invalidAddress(_ text: String, _ error: JIDError) -> XMPPError {
        XMPPError(.invalidAddress, "“\(text.prefix(200))” is no address: \(error)", underlying: error)
    }
}
