// SPDX-License-Identifier: Apache-2.0
package import XMPP

extension XMPPSession {
    /// A page of an archive in the words of the core.
    package nonisolated func archivePage(
        _ position: CatchUpPosition, of room: JID?, limit: Int
    ) async throws(CatchUpError) -> CatchUpPage {
        var filter = ArchiveFilter()
        let request: PageRequest
        switch position {
        case .beginning: request = PageRequest(.first, limit: limit)
        case .after(let id): request = PageRequest(.after(id), limit: limit)
        case .newest: request = PageRequest(.last, limit: limit)
        case .since(let milliseconds):
            filter.start = DateTime(milliseconds: milliseconds)
            request = PageRequest(.first, limit: limit)
        case .before(let id, let peer):
            filter.with = peer
            request = PageRequest(id.map { .before($0) } ?? .last, limit: limit)
        case .until(let milliseconds, let peer):
            filter.with = peer
            filter.end = DateTime(milliseconds: milliseconds)
            request = PageRequest(.last, limit: limit)
        }
        let page: ArchivePage
        do { page = try await archive(of: room).page(filter, request) } catch { throw CatchUpError(error) }
        return CatchUpPage(
            messages: page.messages.map {
                CatchUpMessage(id: $0.id, stamp: $0.stamp?.milliseconds, message: $0.message)
            }, last: page.info.last, isComplete: page.isComplete, isStable: page.isStable)
    }
}

extension DateTime {
    init(milliseconds: Int64) {
        let time = max(0, milliseconds)
        self.init(seconds: time / 1000, nanoseconds: Int32(time % 1000) * 1_000_000)
    }
}

extension CatchUpError {
    init(_ error: any Error) {
        guard let error = error as? XMPPError else {
            self = .interrupted
            return
        }
        switch error.code {
        case .archivePositionUnknown: self = .positionUnknown
        case .requestFailed: self = Self.isPassing(error) ? .failed : .unavailable
        case .timedOut, .invalidReply: self = .failed
        default: self = .interrupted
        }
    }

    /// Whether the server refused for the moment only (RFC 6120 §8.3.2).
    private static func isPassing(_ error: XMPPError) -> Bool { error.stanzaError?.kind == .wait }
}
