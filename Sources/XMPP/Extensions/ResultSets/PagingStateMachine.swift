// SPDX-License-Identifier: Apache-2.0

/// Walks through a list page by page, and stops when the other side leads nowhere (XEP-0059 §2.2, §2.3).
///
/// Every page has to bring something that was not there before: a cursor that comes again, a page whose items are all
/// known, one without items and without an end, or pages beyond the cap end the walk (T108).
package struct PagingStateMachine: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        /// Ask for that page.
        case next(PageRequest)
        /// The list has been seen whole.
        case finished
        /// The list has not been seen whole, and going on makes no sense.
        case stuck(Reason)
    }

    package enum Reason: String, Sendable, Hashable {
        case cursorComesAgain
        case nothingNew
        case emptyWithoutEnd
        case tooManyPages
    }

    /// What a page was like.
    package struct Page: Sendable, Hashable {
        package var info: PageInfo
        /// How many items it had, and how many of them were new; equal where items have no names.
        package var items: Int
        package var newItems: Int
        /// What the other side says about the end; nil where the protocol has no word for it.
        package var isComplete: Bool?

        package init(_ info: PageInfo, items: Int, newItems: Int? = nil, isComplete: Bool? = nil) {
            self.info = info
            self.items = items
            self.newItems = newItems ?? items
            self.isComplete = isComplete
        }
    }

    private let limit: Int?
    private let goesBackward: Bool
    private let pageCap: Int
    private var pages = 0
    private var cursors: Set<String> = []
    private var seen: Set<String> = []

    package init(_ start: PageRequest, pageCap: Int) {
        limit = start.limit
        goesBackward = start.goesBackward
        self.pageCap = pageCap
        switch start.position {
        case .after(let id), .before(let id): cursors = [id]
        case .first, .last, .index: break
        }
    }

    /// Whether an item of that name was not there before.
    package mutating func isNew(_ id: String) -> Bool { seen.insert(id).inserted }

    /// A page came.
    package mutating func received(_ page: Page) -> Action {
        pages += 1
        if page.isComplete == true || limit == 0 { return .finished }
        let cursor = goesBackward ? page.info.first : page.info.last
        guard let cursor else {
            // XEP-0059 §2.2: an empty page has no names. Whether it is the end, only the protocol around can say.
            let isEnd = page.isComplete == nil || page.info.count == 0
            return isEnd || page.items > 0 ? .finished : .stuck(.emptyWithoutEnd)
        }
        if page.isComplete == nil, isEnd(page) { return .finished }
        if page.items > 0, page.newItems == 0 { return .stuck(.nothingNew) }
        guard cursors.insert(cursor).inserted else { return .stuck(.cursorComesAgain) }
        guard pages < pageCap else { return .stuck(.tooManyPages) }
        return .next(PageRequest(goesBackward ? .before(cursor) : .after(cursor), limit: limit))
    }

    /// Where nothing says that the list is complete, the numbers of the items do (XEP-0059 §2.2).
    private func isEnd(_ page: Page) -> Bool {
        guard page.items > 0 else { return true }
        guard let index = page.info.index else { return false }
        if goesBackward { return index == 0 }
        guard let count = page.info.count else { return false }
        return index &+ page.items >= count
    }
}

extension PagingStateMachine.Reason {
    /// What is wrong, for people.
    package var words: String {
        switch self {
        case .cursorComesAgain: "it leads in a circle"
        case .nothingNew: "it gives the same page again"
        case .emptyWithoutEnd: "it gives an empty page and says that there is more"
        case .tooManyPages: "it has more pages than were asked for"
        }
    }
}
