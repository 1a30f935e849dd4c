// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// The queries that are open, and what came for them (XEP-0313 §8.2).
///
/// A result counts only when it comes from the archive that was asked and names an open query. Every other one is
/// dropped: results are never messages to anybody. Owner of the state: its lock.
package final class ArchiveInbox: Sendable {
    package struct Results: Sendable {
        package var messages: [ArchivedMessage] = []
        package var unreadable = 0
        /// More came than was asked for.
        package var isTooMuch = false
    }

    private struct Query {
        let id: String
        /// Nil for the archive of the account.
        let archive: JID?
        let limit: Int
        var results = Results()
    }

    private struct State {
        var queries: [Query] = []
        var decoder = StanzaDecoder()
        var features: [JID?: ArchiveFeatures] = [:]
    }

    private let state = Locked(State())

    package init() {}

    /// Results for a query are kept from now on, at most so many.
    package func open(id: String, archive: JID?, limit: Int) {
        state.withLock { state in
            var query = Query(id: id, archive: archive, limit: limit)
            query.results.messages.reserveCapacity(min(limit, 256))
            state.queries.append(query)
        }
    }

    /// The query has its answer, or none will come.
    package func close(id: String) -> Results {
        state.withLock { state in
            guard let index = state.queries.firstIndex(where: { $0.id == id }) else { return Results() }
            return state.queries.remove(at: index).results
        }
    }

    /// Takes a message that carries a result; whether it was wanted.
    @discardableResult
    package func take(_ message: Message, _ result: Element, own: JID?) -> Bool {
        guard message.kind != .error else { return false }
        return state.withLock { state in
            guard
                let index = state.queries.firstIndex(where: {
                    Self.isFor($0, result) && Self.isFrom($0.archive, message.from, own)
                })
            else { return false }
            guard state.queries[index].results.messages.count < state.queries[index].limit else {
                state.queries[index].results.isTooMuch = true
                return false
            }
            guard let id = result.filled("id"), let wrapped = result.onlyChild(Forwarded.name),
                let forwarded = Forwarded(wrapped, &state.decoder, repairing: true)
            else {
                state.queries[index].results.unreadable &+= 1
                return true
            }
            state.queries[index].results.messages.append(
                ArchivedMessage(id: id, stamp: forwarded.delay?.stamp, message: forwarded.message))
            return true
        }
    }

    private static func isFor(_ query: Query, _ result: Element) -> Bool {
        result.withAttribute("queryid") { $0.elementsEqual(query.id.utf8) } ?? false
    }

    /// B141: one's own archive answers without a sender or as the bare account, any other one as itself.
    private static func isFrom(_ archive: JID?, _ from: JID?, _ own: JID?) -> Bool {
        if let archive { return from == archive }
        guard let from else { return true }
        guard let own else { return false }
        return from == own.bare
    }

    package func features(of archive: JID?) -> ArchiveFeatures? { state.withLock { $0.features[archive] } }

    package func note(_ features: ArchiveFeatures, of archive: JID?) {
        state.withLock { $0.features[archive] = features }
    }

    /// A new stream: servers may have learned something since.
    package func forgetFeatures() { state.withLock { $0.features = [:] } }
}
