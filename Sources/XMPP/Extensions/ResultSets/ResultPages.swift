// SPDX-License-Identifier: Apache-2.0

/// The pages of a long list, one after the other, each asked for when the reader wants it (XEP-0059).
///
/// The sequence ends when the list does. It throws what the request for a page throws, and
/// ``XMPPError/Code/listIncomplete`` after the last page that could be had when the other side makes no progress: it
/// sends the same page again, leads in a circle, or has more pages than the cap. What lies beyond is then not known.
public struct ResultPages<Page: Sendable>: AsyncSequence, Sendable {
    /// A page.
    public typealias Element = Page

    /// Asks for one page and says what comes after it.
    typealias Step =
        @Sendable (inout PagingStateMachine, PageRequest) async throws -> (Page, PagingStateMachine.Action)

    private let start: PageRequest
    private let pageCap: Int
    private let step: Step

    init(_ start: PageRequest, pageCap: Int, step: @escaping Step) {
        self.start = start
        self.pageCap = pageCap
        self.step = step
    }

    /// Makes an iterator; each begins at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(start, pageCap: pageCap, step: step) }

    /// Walks over the pages.
    public struct Iterator: AsyncIteratorProtocol {
        private var machine: PagingStateMachine
        private var request: PageRequest?
        private var failure: XMPPError?
        private let step: Step

        init(_ start: PageRequest, pageCap: Int, step: @escaping Step) {
            machine = PagingStateMachine(start, pageCap: pageCap)
            request = start
            self.step = step
        }

        /// Waits for the next page; nil after the last.
        ///
        /// Cancelling ends the wait and throws.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Page? {
            if let failure {
                self.failure = nil
                throw failure
            }
            guard let asked = request else { return nil }
            request = nil
            let (page, action) = try await step(&machine, asked)
            switch action {
            case .next(let following): request = following
            case .finished: break
            case .stuck(let reason):
                failure = XMPPError(.listIncomplete, "the list could not be read to its end: \(reason.words)")
            }
            return page
        }

        /// As ``next(isolation:)``.
        public mutating func next() async throws -> Page? { try await next(isolation: nil) }
    }
}

extension XMPPError.Code {
    /// A list could not be read to its end, since the other side makes no progress; there is a gap.
    public static let listIncomplete = Self(rawValue: "listIncomplete")
}
