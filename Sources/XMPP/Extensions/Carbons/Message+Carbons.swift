// SPDX-License-Identifier: Apache-2.0

extension Message {
    /// Whether the message wraps a copy, be it an honest or a forged one.
    ///
    /// What is such a wrap and gives no ``carbon(for:)`` is a forgery: drop it.
    public var isCarbon: Bool {
        payload(CarbonElements.received) != nil || payload(CarbonElements.sent) != nil
    }

    /// The copy inside, nil when there is none or when it did not come from one's own server (XEP-0280 §11).
    ///
    /// Only one's own account may say what one's other resources do: the wrap must come from exactly the bare address,
    /// be no message of a room and no error, and hold exactly one message that the account was a party to.
    /// - Parameter account: One's own address; a resource in it does not matter.
    public func carbon(for account: JID) -> Carbon? {
        let account = account.bare
        guard from == account, kind != .groupchat, kind != .error else { return nil }
        let copies = payloads(CarbonElements.received) + payloads(CarbonElements.sent)
        guard copies.count == 1, let copy = copies.first, let wrapped = copy.onlyChild(Forwarded.name),
            let forwarded = Forwarded(wrapped), forwarded.message.kind != .groupchat
        else { return nil }
        let inner = forwarded.message
        let isReceived = copy.matches(CarbonElements.received)
        let party = isReceived ? inner.to : inner.from
        guard party?.isSameBare(as: account) ?? true else { return nil }
        return Carbon(direction: isReceived ? .received : .sent, message: inner, delay: forwarded.delay)
    }

    /// Whether servers are asked not to copy the message to other resources (XEP-0280 §9, XEP-0334 §4.3).
    public var isPrivate: Bool {
        get { payload(CarbonElements.private) != nil || payload(CarbonElements.noCopy) != nil }
        set {
            setPayload(CarbonElements.private, newValue ? Element(CarbonElements.private) : nil)
            setPayload(CarbonElements.noCopy, newValue ? Element(CarbonElements.noCopy) : nil)
        }
    }
}
