// SPDX-License-Identifier: Apache-2.0

extension MessageArchive {
    /// The features, asked for only where the query depends on them.
    func featuresNeeded(_ filter: ArchiveFilter, isFlipped: Bool) async throws -> ArchiveFeatures {
        guard filter.hasIDs || filter.includesRooms != nil || isFlipped else {
            return ArchiveFeatures(isSupported: true)
        }
        return try await features()
    }

    func fetch(_ form: DataForm?, _ request: PageRequest, isFlipped: Bool) async throws -> ArchivePage {
        try await session.queryArchive(address, form, request, isFlipped: isFlipped)
    }
}

extension XMPPSession {
    /// How long an archive may take for one page.
    private static let archiveTimeout: Duration = .seconds(60)

    /// Asks an archive for one page; the results come as messages before the reply (XEP-0313 §4).
    func queryArchive(
        _ archive: JID?, _ form: DataForm?, _ request: PageRequest, isFlipped: Bool
    ) async throws -> ArchivePage {
        // Nobody can guess it, so nobody but the archive can answer (T069, T106).
        let id = configuration.randomness.token()
        let inbox = inboxes.archive
        inbox.open(id: id, archive: archive.flatMap { $0 == account.jid.bare ? nil : $0 }, limit: request.resultCap)
        let reply: IQ
        do {
            let query = Archive.query(id: id, form: form, page: request, isFlipped: isFlipped)
            reply = try await set(query, to: archive, timeout: Self.archiveTimeout)
        } catch {
            _ = inbox.close(id: id)
            throw Self.archiveError(error, request)
        }
        let results = inbox.close(id: id)
        guard let end = reply.payload.flatMap({ ArchiveEnd($0) }) else {
            throw XMPPError(.invalidReply, "the archive answered with something else than the end of a page")
        }
        guard !results.isTooMuch else {
            throw XMPPError(.invalidReply, "the archive sent more messages than it was asked for")
        }
        return ArchivePage(
            messages: results.messages, info: end.info, isComplete: end.isComplete, isStable: end.isStable,
            unreadable: results.unreadable)
    }

    /// B139: a message that is gone from the archive is told from every other refusal.
    private static func archiveError(_ error: any Error, _ request: PageRequest) -> any Error {
        guard let error = error as? XMPPError, error.stanzaError?.condition == .itemNotFound else { return error }
        return XMPPError(
            .archivePositionUnknown, "the archive does not have the message to go on from; ask by time instead",
            underlying: error.stanzaError)
    }
}

extension PageRequest {
    /// More messages than this an archive cannot send: the number that was asked for, or the most that servers give
    /// unasked.
    fileprivate var resultCap: Int { limit.map { max($0, 0) } ?? 10_000 }

    /// The same part where the archive takes no identifiers in filters: the position of the page stands for one of them.
    func narrowed(by filter: ArchiveFilter, _ features: ArchiveFeatures) -> PageRequest {
        guard !features.isExtended else { return self }
        switch (position, filter.afterID, filter.beforeID) {
        case (.first, let after?, _): return PageRequest(.after(after), limit: limit)
        case (.last, _, let before?): return PageRequest(.before(before), limit: limit)
        default: return self
        }
    }
}

extension ArchivePage {
    /// The page as an archive that takes identifiers and flips pages would have given it: the other end of a range is
    /// cut off here.
    func narrowed(
        by filter: ArchiveFilter, _ features: ArchiveFeatures, backward: Bool, flipping: Bool
    ) -> ArchivePage {
        guard !features.isExtended else { return self }
        var kept = messages
        var isComplete = isComplete
        var info = info
        if backward, let after = filter.afterID, let index = kept.lastIndex(where: { $0.id == after }) {
            kept.removeSubrange(...index)
            isComplete = true
            info = PageInfo(first: kept.first?.id, last: kept.isEmpty ? nil : info.last)
        }
        if !backward, let before = filter.beforeID, let index = kept.firstIndex(where: { $0.id == before }) {
            kept.removeSubrange(index...)
            isComplete = true
            info = PageInfo(first: kept.isEmpty ? nil : info.first, last: kept.last?.id)
        }
        if flipping { kept.reverse() }
        return ArchivePage(
            messages: kept, info: info, isComplete: isComplete, isStable: isStable, unreadable: unreadable)
    }
}
