// SPDX-License-Identifier: Apache-2.0
import ApusDesktop
import ChatAPI
import ChatService

extension Commands {
    static let notify = CommandSpec(
        path: ["notify"], summary: "stay connected and show on the desktop what is announced",
        options: [
            .value("open", "COMMAND", "run this with the shell when one is clicked")
        ],
        discussion: """
            What is announced, and how much of it is shown, is said by 'apus notifications' and 'apus mute'. What is read, here
            or on another device, is taken away. Where the desktop shows pictures, that of the other side stands beside the
            text; it is made anew first, as all pictures are. The command given with --open learns from APUS_ACCOUNT and APUS_FROM which
            conversation was clicked; without one a click says so on standard output.
            """
    ) { context in
        guard let desktop = await DesktopNotifier.open() else {
            throw ChatAPIError(
                .notFound, "no desktop is there that shows notifications", hint: "start it inside a desktop session")
        }
        defer { desktop.close() }
        let (shown, pictures) = (ShownAnnouncements(), try pictures(for: desktop, context))
        let client = try context.client
        let (news, events) = (client.announcements(), client.events(since: nil))
        _ = try await client.connect(ConnectRequest(persists: true, timeout: .zero))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await event in news { try await show(event, on: desktop, shown, pictures, context) }
            }
            group.addTask {
                for try await event in events {
                    if case .connection(let account) = event.kind { try await endIfHopeless(account, context) }
                }
            }
            group.addTask {
                for await click in desktop.clicks { try await follow(click, shown, context) }
                try Task.checkCancellation()
                throw ChatAPIError(.notFound, "the desktop session has ended")
            }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    private static func show(
        _ event: ChatEvent, on desktop: DesktopNotifier, _ shown: ShownAnnouncements,
        _ pictures: NotificationPictures?, _ context: Context
    ) async throws {
        if context.output.isJSON { try await context.output.json("event", event) }
        switch event.kind {
        case .announcement(let announcement):
            await shown.keep(announcement)
            var note = note(announcement)
            note.picture = await picture(announcement, pictures, context)
            await desktop.show(note)
        case .announcementRemoved(let id):
            await shown.forget(id)
            await desktop.withdraw(id)
        default: break
        }
    }

    /// Nil where no pictures are shown, or nothing can make them.
    private static func pictures(for desktop: DesktopNotifier, _ context: Context) throws -> NotificationPictures? {
        guard desktop.showsPictures, let worker = PictureProgram.installed(deadline: .seconds(5)),
            let profile = try context.client as? ProfileClient
        else { return nil }
        let folder = profile.paths.socket.directory + "/" + profile.paths.profile + ".pictures"
        return NotificationPictures(folder: folder, worker: worker)
    }

    /// The picture of the other side, made anew; none where the rules hide who that is.
    private static func picture(
        _ announcement: Announcement, _ pictures: NotificationPictures?, _ context: Context
    ) async -> String? {
        guard let pictures, announcement.title != nil, let hash = announcement.picture, let client = try? context.client
        else { return nil }
        return await pictures.file(hash) {
            guard let found = try? await client.picture(hash: hash) else { return nil }
            return Array(found.data)
        }
    }

    /// As much of it as the rules leave.
    static func note(_ announcement: Announcement) -> DesktopNotifier.Note {
        let isRequest = announcement.reason == .request
        let title = announcement.title.map { Plain.line($0) } ?? (isRequest ? "A request" : "A message")
        var lines: [String] = []
        if isRequest { lines.append("asks to see your presence") }
        if let body = announcement.body {
            let sender = announcement.sender.map { Plain.line($0) + ": " } ?? ""
            lines.append(sender + Plain.line(body))
        }
        if announcement.count > 1 { lines.append("\(announcement.count) messages") }
        var note = DesktopNotifier.Note(announcement.id, title: title, body: lines.joined(separator: "\n"))
        note.isUrgent = announcement.reason == .mention
        note.isSilent = announcement.isSilent
        note.canBeRead = !isRequest
        return note
    }

    private static func follow(
        _ click: DesktopNotifier.Click, _ shown: ShownAnnouncements, _ context: Context
    ) async throws {
        switch click {
        case .read(let id):
            guard let known = await shown[id] else { return }
            let conversation = ConversationID(account: known.account, conversation: known.address)
            try await context.client.markRead(ReadRequest(conversation: conversation, through: known.message))
        case .opened(let id):
            guard let known = await shown[id] else { return }
            if context.output.isJSON {
                try await context.output.json("opened", known)
            } else if context.line.options["open"] == nil {
                try await context.output.line("\(Plain.line(known.account)) \(Plain.line(known.address))")
            }
            guard let command = context.line.options["open"] else { return }
            var environment = context.environment
            environment["APUS_ACCOUNT"] = known.account
            environment["APUS_FROM"] = known.address
            let status = try await ShellCommand.run(command, input: [], environment: environment)
            if status != 0 { await context.output.warn("the command given with --open ended with \(status)") }
        }
    }
}

/// What stands on the desktop, by name.
private actor ShownAnnouncements {
    private var known: [String: Announcement] = [:]

    subscript(id: String) -> Announcement? { known[id] }

    func keep(_ announcement: Announcement) { known[announcement.id] = announcement }
    func forget(_ id: String) { known[id] = nil }
}
