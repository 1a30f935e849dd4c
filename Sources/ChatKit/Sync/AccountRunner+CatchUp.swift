// SPDX-License-Identifier: Apache-2.0
internal import ApusSQLite
internal import XMPP

/// What a stream does not tell is asked of the archive: messages that came while nobody listened, and whether the server has
/// what was written before the connection broke.
extension AccountRunner {
    /// So many messages before the anchor are looked at again.
    private static var lookBack: Int { 100 }
    /// So often an answer that does not come is asked for again at once.
    private static var patience: Int { 3 }
    /// So long what is ambiguous waits for an archive that gives nothing for the moment, in milliseconds; then it counts as
    /// unavailable.
    static var archivePatience: Int64 { 60_000 }

    /// Takes over what the archive has behind the anchor; then nothing is ambiguous any more.
    ///
    /// Only one at a time: a call during another makes that one go round again.
    func catchUp() async {
        if isCatchingUp {
            wantsCatchUp = true
            return
        }
        isCatchingUp = true
        repeat {
            wantsCatchUp = false
            await catchUpOnce()
        } while wantsCatchUp && connection.isOnline
        isCatchingUp = false
        await pump()
        // What the archive named can be told to the other devices now; and in its order another message may have been read last.
        toldAgain = [:]
        await learnDisplayed()
    }

    private func catchUpOnce() async {
        guard let link, let sessionStore, connection.isOnline else { return }
        let stream = streamNumber
        var isAvailable = true
        var isLeft = false
        let began = store.now
        var ambiguous: [Int64] = []
        do {
            // What becomes ambiguous from now on needs pages that are asked for later.
            let account = account
            ambiguous = try await store.read { try StoreTransaction.ambiguous($0, account: account) }
            guard offersArchive != false else { throw CatchUpError.unavailable }
            if looksBack { try await lookBack(link, sessionStore) }
            try await page(link, sessionStore, .own(jid))
        } catch let error as CatchUpError where error != .interrupted {
            isAvailable = false
            isLeft = error == .failed
        } catch {
            // The next stream goes on, with the anchor where it is.
            return
        }
        // What failed because the connection broke says nothing about the archive.
        guard isAvailable || connection.isOnline else { return }
        archiveFailsSince = isLeft ? archiveFailsSince ?? began : nil
        // A server that is busy will say soon what it has: sent again now, it might have it twice.
        if let since = archiveFailsSince, store.now - since < Self.archivePatience, !ambiguous.isEmpty {
            return planCatchUp()
        }
        do {
            try await settle(ambiguous, mayRepeat: !isAvailable)
            guard stream == streamNumber else { return wantsCatchUp = true }
            needsCatchUp = isLeft
            if isLeft { planCatchUp() } else { catchUpWait = Self.firstCatchUpWait }
        } catch {
            // The disk failed: all of it is there for the next time.
        }
    }

    /// What an archive did not give is still missing: it is asked again in a while, then less and less often, up to an hour.
    private func planCatchUp() {
        catchUpTimer?.cancel()
        let wait = catchUpWait
        catchUpWait = min(wait * 2, .seconds(3600))
        catchUpTimer = Task { [weak self] in
            guard (try? await Task.sleep(for: wait)) != nil else { return }
            await self?.catchUpAgain()
        }
    }

    func catchUpAgain() async {
        catchUpTimer = nil
        if needsCatchUp { await catchUp() }
    }

    private func settle(_ rows: [Int64], mayRepeat: Bool) async throws {
        let account = account
        let (isLeft, rooms) = try await store.write { transaction in
            for row in rows { try transaction.sendAgain(row, account: account, mayRepeat: mayRepeat) }
            return (
                try StoreTransaction.hasAmbiguous(transaction.connection, account: account),
                try transaction.unreflectedRooms(account: account)
            )
        }
        if isLeft { wantsCatchUp = true }
        guard !rows.isEmpty else { return }
        // Whether those have it, only they know.
        for room in rooms {
            if let link, await link.isInRoom(room) { wantCatchUp(of: room) }
        }
    }

    /// Takes over what the archive wrote late, with an id and a time that lie before the anchor
    /// (docs/design/0001-what-servers-lose.md).
    private func lookBack(_ link: any SessionLink, _ sessionStore: AccountSessionStore) async throws {
        if let anchor = try await sessionStore.anchor(), let last = anchor.lastID {
            do throws(CatchUpError) {
                let page = try await ask(link, .before(last, with: nil), of: .own(jid), limit: Self.lookBack)
                try? await sessionStore.take(late: page, before: anchor)
            } catch {
                // The way on finds what to do then.
                guard error == .positionUnknown else { throw error }
            }
        }
        looksBack = false
    }

    /// Takes over what an archive has behind the anchor.
    func page(_ link: any SessionLink, _ sessionStore: AccountSessionStore, _ scope: ArchiveScope) async throws {
        let pages = ArchivePages(sessionStore, scope)
        do { try await page(link, sessionStore, scope, into: pages) } catch {
            // What came before is here, whatever went wrong then.
            try await pages.finish()
            throw error
        }
        try await pages.finish()
    }

    private func page(
        _ link: any SessionLink, _ sessionStore: AccountSessionStore, _ scope: ArchiveScope, into pages: ArchivePages
    ) async throws {
        var position = try await start(link, sessionStore, scope)
        var isStable = true
        var gap: Int64?
        var circle = CircleCheck()
        var size = PageSize()
        while true {
            let page: CatchUpPage
            let asked = store.now
            do throws(CatchUpError) {
                page = try await ask(link, position, of: scope, limit: size.limit)
            } catch {
                // A server that refuses a large page, or does not get it through, may give a smaller one.
                if error == .unavailable || error == .failed, size.failed() { continue }
                // Once: an archive that does not know what it has just named is none.
                guard case .positionUnknown = error, gap == nil else { throw error }
                try await pages.finish()
                guard let other = try await substitute(position, sessionStore, scope) else { throw error }
                (position, gap) = other
                continue
            }
            size.took(store.now - asked, for: page)
            if gap == nil {
                try await pages.add(page)
            } else {
                try await sessionStore.take(page, of: scope, ending: gap)
            }
            if !page.isStable { isStable = false }
            if page.isComplete {
                // What an archive may still change its mind about proves nothing.
                guard isStable else { throw CatchUpError.failed }
                return
            }
            // An archive that gives the same page for ever, or the same pages in a circle, is no archive.
            guard let last = page.last, position != .after(last), !circle.isClosed(by: last) else {
                throw CatchUpError.failed
            }
            position = .after(last)
        }
    }

    /// Where to begin.
    ///
    /// What is new here begins at the archive's newest message: what is older is a gap that the history shows.
    func start(
        _ link: any SessionLink, _ sessionStore: AccountSessionStore, _ scope: ArchiveScope
    ) async throws -> CatchUpPosition {
        if let anchor = try await sessionStore.anchor(scope) { return anchor.position }
        let (account, now) = (account, store.now)
        if scope.room == nil,
            let ambiguous = try await store.read({ try StoreTransaction.oldestAmbiguous($0, account: account) })
        {
            return .since(ambiguous - Anchor.overlap)
        }
        let page = try await ask(link, .newest, of: scope, limit: 1)
        let newest = Anchor(lastID: page.last, lastTime: page.messages.last?.stamp ?? now)
        return try await store.write { try $0.begin(newest, account: account, scope).position }
    }

    /// Where to go on when the archive does not have the anchor any more: a while before its time, with a gap before it.
    private func substitute(
        _ position: CatchUpPosition, _ sessionStore: AccountSessionStore, _ scope: ArchiveScope
    ) async throws -> (CatchUpPosition, Int64)? {
        guard case .after(let lost) = position, let anchor = try await sessionStore.anchor(scope) else { return nil }
        let account = account
        let gap = try await store.write {
            // One that was noted before and not asked behind yet is the same.
            try $0.openGap(account: account, archive: scope.name, after: lost)
                ?? $0.recordGap(account: account, archive: scope.name, after: lost, before: nil, reason: "anchor-lost")
        }
        return (.since(anchor.lastTime - Anchor.overlap), gap)
    }

    func ask(
        _ link: any SessionLink, _ position: CatchUpPosition, of scope: ArchiveScope, limit: Int
    ) async throws(CatchUpError) -> CatchUpPage {
        var attempt = 1
        while true {
            do throws(CatchUpError) {
                return try await link.archivePage(position, of: scope.room, limit: limit)
            } catch {
                guard error == .failed, attempt < Self.patience, connection.isOnline else { throw error }
                attempt += 1
            }
        }
    }

    /// On a server that does not count, the answer to a ping says that everything before it was handled (RFC 6120 §10.1:
    /// in order).
    func prove(through sequence: UInt64) async {
        unproven = max(unproven, sequence)
        guard !isProving else { return }
        isProving = true
        defer { isProving = false }
        while unproven > 0, connection.isOnline, let link {
            let (wanted, stream, account) = (unproven, streamNumber, account)
            do { _ = try await link.ask(IQ(.get, payload: Ping.request), timeout: .seconds(60)) } catch {
                // An error of the server is an answer, too.
                guard (error as? XMPPError)?.stanzaError != nil else { return }
            }
            guard stream == streamNumber else { continue }
            try? await store.write { try $0.acknowledged(account: account, through: wanted) }
            if unproven == wanted { unproven = 0 }
        }
    }
}
