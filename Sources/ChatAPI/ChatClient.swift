// SPDX-License-Identifier: Apache-2.0

/// The chat core as every face sees it: in this process, or over a socket in the process that holds the profile.
///
/// Every call ends: with its reply, an error, the time given in the request, or the caller's cancellation, which gives
/// `cancelled` and frees what the call held. What was made durable before stays.
package protocol ChatClient: Sendable {
    /// The profile, its accounts and their connections.
    func status() async throws(ChatAPIError) -> ProfileStatus

    /// Logs in once and keeps the account when that succeeds.
    func addAccount(_ request: AddAccountRequest) async throws(ChatAPIError) -> AccountSummary
    /// Asks a server what it wants before it makes an account. The password is not sent.
    func registrationForm(_ request: AddAccountRequest) async throws(ChatAPIError) -> RegistrationForm
    /// Makes an account on its server and keeps it.
    func registerAccount(_ request: RegisterAccountRequest) async throws(ChatAPIError) -> AccountSummary
    /// Forgets an account and what is stored of it.
    func removeAccount(_ request: RemoveAccountRequest) async throws(ChatAPIError)
    /// What happened to the connections of one account, or of all.
    func timeline(account: String?) async throws(ChatAPIError) -> [AccountTimeline]
    /// Which certificates an account accepts, after a change if one is asked for; holds from the next connection on.
    func trust(_ request: TrustRequest) async throws(ChatAPIError) -> TrustSettings
    /// Examines a server, and an account on it, step by step.
    func diagnose(_ request: DiagnosisRequest) async throws(ChatAPIError) -> Diagnosis
    /// Changes an account's password, here and on the server or here only.
    func changePassword(_ request: ChangePasswordRequest) async throws(ChatAPIError)
    /// Connects accounts and waits until they are online; those that are stay so.
    func connect(_ request: ConnectRequest) async throws(ChatAPIError) -> [AccountSummary]

    /// Says whether an account is kept connected; one that is enabled connects at once.
    func setEnabled(_ request: EnableRequest) async throws(ChatAPIError) -> AccountSummary

    /// The contacts of one account, or of all.
    func contacts(account: String?) async throws(ChatAPIError) -> [ContactSummary]
    /// Adds a contact and, if asked to, requests its presence. Returns when the server has taken it.
    func addContact(_ request: ContactRequest) async throws(ChatAPIError) -> ContactSummary
    /// Removes a contact and both subscriptions. Returns when the server has done so.
    func removeContact(_ request: ContactRequest) async throws(ChatAPIError)
    /// Changes the name and the groups of a contact. Returns when the server has taken it.
    func changeContact(_ request: ContactRequest) async throws(ChatAPIError) -> ContactSummary
    /// Has an invitation made, to become a contact or to have an account on the same server.
    func createInvitation(_ request: InvitationRequest) async throws(ChatAPIError) -> InvitationItem
    /// The requests that wait for an answer.
    func requests(account: String?) async throws(ChatAPIError) -> [RequestSummary]
    /// Accepts or declines a request.
    func answer(_ request: AnswerRequest) async throws(ChatAPIError)

    /// Stores a message to be sent; returns when it is durable.
    func send(_ request: SendRequest) async throws(ChatAPIError) -> SendResult
    /// Waits for a message to reach a state; answers with it as well when it failed, and throws when the time ran out.
    func wait(_ request: WaitRequest) async throws(ChatAPIError) -> MessageItem
    /// The messages that the server does not have for certain, oldest first, of one account or of all.
    func outbox(account: String?) async throws(ChatAPIError) -> [MessageItem]
    /// Sends a message that needs confirmation or failed, or drops one that needs confirmation; returns when that is durable.
    func decide(_ decision: OutboxDecision) async throws(ChatAPIError)
    /// The account and the canonical address that a conversation's name means; the conversation need not have begun.
    func resolve(_ conversation: ConversationID) async throws(ChatAPIError) -> ConversationID
    /// A page of a conversation.
    func history(_ request: HistoryRequest) async throws(ChatAPIError) -> [MessageItem]
    /// All conversations, the latest first.
    func conversations() async throws(ChatAPIError) -> [ConversationSummary]
    /// The conversation has been read, up to a message or wholly; the user's other devices are told.
    func markRead(_ request: ReadRequest) async throws(ChatAPIError)
    /// A part of a conversation, with what is next to it.
    func page(_ request: PageRequest) async throws(ChatAPIError) -> HistoryPage
    /// Everything that is known of the message with that `MessageItem.id`.
    func details(message: String) async throws(ChatAPIError) -> MessageDetails
    /// Reacts to a message with pictures; returns when that is durable.
    func react(_ request: ReactRequest) async throws(ChatAPIError) -> MessageItem
    /// Changes the text of a message of the user; returns when that is durable.
    func correct(_ request: CorrectRequest) async throws(ChatAPIError) -> MessageItem
    /// Takes a message of the user back; returns when that is durable.
    func retract(message: String) async throws(ChatAPIError) -> MessageItem
    /// Keeps a text that was begun.
    func setDraft(_ request: DraftRequest) async throws(ChatAPIError)
    /// Changes how a conversation is listed and announced; begins it when there is none yet.
    func configure(_ change: ConversationChange) async throws(ChatAPIError) -> ConversationSummary
    /// Tells the other side that we are writing, or have stopped.
    func setTyping(_ request: TypingRequest) async throws(ChatAPIError)

    /// Messages that hold what is looked for, the newest first.
    func search(_ request: SearchRequest) async throws(ChatAPIError) -> [SearchHit]
    /// Who is kept away from one account, or from all.
    func blocked(account: String?) async throws(ChatAPIError) -> [BlockedAddress]
    /// Keeps somebody away, with a report where one is given.
    func block(_ request: BlockRequest) async throws(ChatAPIError) -> BlockResult
    /// Lets somebody through again.
    func unblock(_ request: BlockRequest) async throws(ChatAPIError)
    /// What somebody, or the account itself, tells about themselves.
    func profile(_ request: ProfileRequest) async throws(ChatAPIError) -> PersonProfile
    /// Changes what the account tells about itself.
    func changeProfile(_ change: ProfileChange) async throws(ChatAPIError) -> PersonProfile
    /// The picture of that name; nil when it is gone.
    func picture(hash: String) async throws(ChatAPIError) -> PictureData?
    /// Publishes a picture of the account, or takes it back.
    func setPicture(_ request: PictureRequest) async throws(ChatAPIError)
    /// Queues a file; returns when a copy of it is durable.
    func sendFile(_ request: SendFileRequest) async throws(ChatAPIError) -> SendResult
    /// Gives up the transfer of the files of the message with that `MessageItem.id`.
    func cancelFile(message: String) async throws(ChatAPIError)
    /// Tries an upload again that failed or was given up.
    func retryFile(message: String) async throws(ChatAPIError)
    /// A file of a message on this machine, fetched when it is not here.
    func fetchFile(_ request: FetchFileRequest) async throws(ChatAPIError) -> LocalFileItem?
    /// The files of a conversation.
    func files(_ request: FilesRequest) async throws(ChatAPIError) -> [FileItem]
    /// How an account sends and fetches files, after a change if one is asked for.
    func media(_ request: MediaRequest) async throws(ChatAPIError) -> MediaSettings
    /// What of all that comes in is announced, after a change if one is asked for.
    func notifications(_ request: NotificationsRequest) async throws(ChatAPIError) -> NotificationSettings
    /// Writes a copy of the profile to a file of this machine.
    func backUp(path: String) async throws(ChatAPIError)

    /// Writes a conversation, or all of an account, to files of this machine.
    func export(_ request: ExportRequest) async throws(ChatAPIError) -> ExportResult
    /// Takes over an exported conversation from a file of this machine.
    func importConversation(_ request: ImportRequest) async throws(ChatAPIError) -> ImportResult

    /// Makes a group or a channel, goes in and invites people.
    func createRoom(_ request: CreateRoomRequest) async throws(ChatAPIError) -> ConversationSummary
    /// Goes into a room, now and after each login.
    func joinRoom(_ request: JoinRoomRequest) async throws(ChatAPIError) -> ConversationSummary
    /// Goes out of a room for good.
    func leaveRoom(_ request: RoomRequest) async throws(ChatAPIError)
    /// A room with those who are in it.
    func room(_ request: RoomRequest) async throws(ChatAPIError) -> RoomSummary
    /// Asks people to come into a room.
    func invite(_ request: InviteRequest) async throws(ChatAPIError)
    /// The public rooms of a place.
    func findRooms(_ request: FindRoomsRequest) async throws(ChatAPIError) -> [RoomListing]
    /// Changes a room's topic, name or description, or the user's nickname there.
    func changeRoom(_ request: RoomChangeRequest) async throws(ChatAPIError)
    /// Puts somebody out of a room, or makes them something else there.
    func changeMember(_ request: MemberChangeRequest) async throws(ChatAPIError)
    /// Takes a message of somebody out of its room.
    func moderate(_ request: ModerateRequest) async throws(ChatAPIError)
    /// Ends a room for everybody.
    func destroyRoom(_ request: RoomRequest) async throws(ChatAPIError)

    /// Everything after a cursor, then `live`, then what happens from now on; nil starts at the end.
    func events(since cursor: String?) -> ChatEventStream
    /// What has to be shown to a user who looks elsewhere, and taken away again, from now on: `unread` first, then that,
    /// `announcement` and `announcementRemoved`.
    func announcements() -> ChatEventStream
}

/// Bounds that both sides of the interface keep.
package enum ChatLimits {
    /// Messages in one page of history.
    package static let historyPage = 500
    /// Bytes of one message's text in UTF-8.
    package static let bodyBytes = 256 * 1024
    /// Bytes of one key given by a caller.
    package static let keyBytes = 256
}
