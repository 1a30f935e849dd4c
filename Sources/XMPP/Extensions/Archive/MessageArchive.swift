// SPDX-License-Identifier: Apache-2.0

/// An archive of messages: that of one's own account, or of a room (XEP-0313).
///
/// ```swift
/// for try await page in session.archive().pages(ArchiveFilter(with: contact)) {
///     for archived in page.messages { print(archived.stamp, archived.message.body) }
/// }
/// ```
///
/// All calls throw ``XMPPError``, with a ``StanzaError`` when the archive refuses. Cancelling ends the wait, and what still
/// comes for the query is dropped.
public struct MessageArchive: Sendable {
    /// Whose archive it is; nil for one's own account.
    public let address: JID?
    let session: XMPPSession
}

extension XMPPSession {
    /// The archive of one's own account, or that of a room.
    public nonisolated func archive(of room: JID? = nil) -> MessageArchive {
        MessageArchive(address: room, session: self)
    }
}

extension XMPPError.Code {
    /// The archive does not have the message that was to be gone on from: ask from a moment on instead.
    public static let archivePositionUnknown = Self(rawValue: "archivePositionUnknown")
}

extension MessageArchive {
    /// So many messages a page holds unless something else is asked for.
    public static let pageSize = 50

    /// What the archive can do; asked once for each stream.
    public func features() async throws -> ArchiveFeatures {
        if let known = session.inboxes.archive.features(of: address) { return known }
        let features = ArchiveFeatures(try await session.discoverInfo(of: address))
        session.inboxes.archive.note(features, of: address)
        return features
    }

    /// Asks for one page (XEP-0313 §4).
    ///
    /// Waits until the archive has sent all of it. Throws ``XMPPError/Code/archivePositionUnknown`` when the message to go
    /// on from is not in the archive any more.
    /// - Parameters:
    ///   - filter: Which messages are wanted. Defaults to all.
    ///   - request: Which part of them. Defaults to the oldest 50.
    ///   - isFlipped: Whether the newest message of the page comes first; it changes the order and nothing else (§4.3.4).
    public func page(
        _ filter: ArchiveFilter = ArchiveFilter(), _ request: PageRequest = PageRequest(), isFlipped: Bool = false
    ) async throws -> ArchivePage {
        let features = try await featuresNeeded(filter, isFlipped: isFlipped)
        let asked = request.narrowed(by: filter, features)
        let page = try await fetch(filter.form(features), asked, isFlipped: isFlipped && features.isExtended)
        return page.narrowed(by: filter, features, backward: asked.goesBackward, flipping: isFlipped)
    }

    /// The pages one after the other, each asked for when the reader wants it.
    ///
    /// No message comes twice. The sequence throws ``XMPPError/Code/listIncomplete`` when the archive makes no progress or
    /// has more pages than the cap: then there is a gap beyond the last page.
    /// - Parameters:
    ///   - filter: Which messages are wanted. Defaults to all.
    ///   - start: Where to begin, and how many messages a page holds; from the end, or before a message, pages go back in
    ///     time. Defaults to the oldest 50.
    ///   - isFlipped: Whether the newest message of each page comes first.
    ///   - pageCap: How many pages there may be. Defaults to 10 000.
    public func pages(
        _ filter: ArchiveFilter = ArchiveFilter(), from start: PageRequest = PageRequest(), isFlipped: Bool = false,
        pageCap: Int = 10_000
    ) -> ResultPages<ArchivePage> {
        ResultPages(start, pageCap: pageCap) { machine, request in
            var page = try await page(filter, request, isFlipped: isFlipped)
            let count = page.messages.count
            page.messages.removeAll { !machine.isNew($0.id) }
            let action = machine.received(
                PagingStateMachine.Page(
                    page.info, items: count + page.unreadable, newItems: page.messages.count + page.unreadable,
                    isComplete: page.isComplete))
            return (page, action)
        }
    }

    /// The messages with these identifiers, as far as they are there (XEP-0313 §4.1.3).
    ///
    /// An archive that cannot be asked for identifiers is asked for what lies beside each: two questions for one message.
    public func messages(ids: [String]) async throws -> [ArchivedMessage] {
        let features = try await features()
        guard !ids.isEmpty else { return [] }
        if features.isExtended {
            let form = ArchiveFilter().form(ids: ids, features)
            return try await fetch(form, PageRequest(limit: ids.count), isFlipped: false).messages
        }
        var found: [ArchivedMessage] = []
        for id in ids {
            let before = try await fetch(nil, PageRequest(.before(id), limit: 1), isFlipped: false)
            let start = (before.info.last ?? before.messages.last?.id).map { PageRequest.Position.after($0) }
            let page = try await fetch(nil, PageRequest(start ?? .first, limit: 1), isFlipped: false)
            found += page.messages.filter { $0.id == id }
        }
        return found
    }

    /// What the archive holds (XEP-0313 §5); one that does not tell is asked for its first and its last message.
    public func metadata() async throws -> ArchiveMetadata {
        if try await features().isExtended {
            let reply = try await session.get(Element(Archive.metadata), to: address)
            guard let metadata = reply.payload.flatMap({ ArchiveMetadata($0) }) else {
                throw XMPPError(.invalidReply, "the archive does not say what it holds")
            }
            return metadata
        }
        func edge(_ position: PageRequest.Position) async throws -> ArchiveMetadata.Edge? {
            let page = try await fetch(nil, PageRequest(position, limit: 1), isFlipped: false)
            return page.messages.first.flatMap { message in
                message.stamp.map { ArchiveMetadata.Edge(id: message.id, stamp: $0) }
            }
        }
        guard let start = try await edge(.first), let end = try await edge(.last) else {
            return ArchiveMetadata(start: nil, end: nil)
        }
        return ArchiveMetadata(start: start, end: end)
    }

    /// The fields that a query may have, as the archive lists them (XEP-0313 §4.1.5).
    public func queryForm() async throws -> DataForm {
        let reply = try await session.get(Element(Archive.query), to: address)
        guard let form = reply.payload?.child(DataForm.name).flatMap({ DataForm($0) }) else {
            throw XMPPError(.invalidReply, "the archive does not say what it can be asked")
        }
        return form
    }
}
