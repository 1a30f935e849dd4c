// SPDX-License-Identifier: Apache-2.0
import ChatAPI
import ChatTesting

/// Values with every member set, so that none is missing from the description.
enum WebSamples {
    private static let time = Timestamp(milliseconds: 1_700_000_000_000)

    static var error: ChatAPIError {
        var error = ChatAPIError(.certificate, "cause", hint: "way out", isRetryable: true)
        error.certificate = certificate
        return error
    }

    static let certificate = CertificateDetails(
        domain: "d", subject: "s", issuer: "i", names: ["n"], validFrom: time, validUntil: time, fingerprint: "f",
        keyFingerprint: "k", problems: [.expired], mayBePinned: true)

    static let account = AccountSummary(
        address: "ana@example.org", isEnabled: true,
        connection: ConnectionStatus(
            .waiting, since: time, retryAt: time, error: ChatAPIError(.network, "cause"), boundAddress: "a@b/c",
            isResumed: true), queued: 1)

    static let message = {
        var item = plainMessage
        item.position = 3
        item.senderName = "Ana"
        item.reply = QuotedItem(message: "0", sender: "s", senderName: "n", isOwn: true, body: "b")
        item.reactions = [ReactionItem(emoji: "+", count: 1, people: ["p"], isOwn: true)]
        (item.edited, item.retracted) = (time, time)
        item.moderation = ModerationItem(by: "m", reason: "r")
        (item.isMention, item.isChanging) = (true, true)
        item.files = [
            FileItem(
                id: "1", message: "1", index: 0, name: "n", type: "image/png", kind: .picture, isProven: true, size: 1,
                width: 2, height: 3, durationMilliseconds: 4, preview: "data:image/jpeg;base64,", url: "https://h/f",
                host: "h", hasThumbnail: true, state: .refused, failure: error)
        ]
        return item
    }()

    static let conversation = ConversationSummary(
        account: "a", conversation: "b", kind: .room, name: "n", unread: 1, mentions: 1, last: message, draft: "d",
        isPinned: true, isArchived: true, level: .mentions, mutedUntil: time, readThrough: "1", lastActivity: time,
        picture: "p", isStranger: true,
        room: RoomStatus(state: .out, reason: "kicked", text: "t", nick: "n", topic: "t", kind: .channel))

    private static let plainMessage = MessageItem(
        id: "1", account: "ana@example.org", conversation: "bo@example.org", direction: .outgoing,
        sender: "ana@example.org", body: "hi", time: time, state: .failed, failure: error, originID: "o",
        archiveID: "a", key: "k", mayBeRepeated: true, cursor: "7")

    static let contact = ContactSummary(
        account: "ana@example.org", address: "bo@example.org", name: "Bo", groups: ["g"], subscription: .both,
        isAsked: true, presence: PresenceSummary(.online, status: "here", resources: ["phone"]), picture: "p")

    static let request = RequestSummary(
        account: "a@b", address: "c@d", kind: .room, inviter: "e@f", text: "hello", receivedAt: time)

    static let events: [ChatEvent] = [
        ChatEvent(.message(message), cursor: "1"), ChatEvent(.messageChanged(message), cursor: "2"),
        ChatEvent(.messageRemoved(account: "a", address: "b", message: "1"), cursor: "8"),
        ChatEvent(.conversation(conversation), cursor: "9"), ChatEvent(.contact(contact)),
        ChatEvent(.contactRemoved(account: "a", address: "b"), cursor: "3"),
        ChatEvent(.conversationRemoved(account: "a", address: "b")), ChatEvent(.accountRemoved(account: "a")),
        ChatEvent(
            .transfer(
                FileProgress(
                    account: "a", conversation: "b", file: "1", message: "1", direction: .upload, completed: 1,
                    total: 2,
                    isOver: true))),
        ChatEvent(.request(request), cursor: "4"), ChatEvent(.requestRemoved(account: "a", address: "b"), cursor: "5"),
        ChatEvent(.typing(account: "a", address: "b", isTyping: true)), ChatEvent(.connection(account)),
        ChatEvent(.gap, cursor: "6"), ChatEvent(.live, cursor: "7"),
    ]

    /// What a browser tells of its push service: the keys are those of RFC 8291, appendix A.
    static let subscription = #"""
        {"endpoint":"https://push.example.net/x","expirationTime":null,"keys":{"auth":"BTBZMqHH6r4Tts7J_aSIgg","p256dh":\#
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"}}
        """#

    /// A core that has one of everything.
    static func core() -> FakeChatClient {
        let core = FakeChatClient()
        core.set { state in
            state.status.accounts = [account]
            state.contacts = [contact]
            state.requests = [request]
            state.history = [message]
            state.hits = [SearchHit(message: message, excerpt: [.init(text: "hi", isMatch: true)])]
            state.conversations = [conversation]
            state.timelines = [
                AccountTimeline(
                    address: "ana@example.org", summary: "s",
                    entries: [
                        .init(
                            time: time, kind: "k", text: "t", target: "h:1", error: ChatAPIError(.network, "cause"),
                            certificate: certificate)
                    ])
            ]
            state.diagnosis = Diagnosis(
                address: "ana@example.org",
                checks: [
                    .init("tls", "h:1", .broken, "t", advice: "a", code: .certificate, certificate: certificate)
                ])
        }
        return core
    }
}
