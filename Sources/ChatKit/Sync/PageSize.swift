// SPDX-License-Identifier: Apache-2.0
internal import XMPP

/// How many messages of an archive are asked for at once.
///
/// A page costs a round trip, and some servers look through everything before it for each one, however small it is: while
/// pages come full and in time, twice as many are asked for next time. A slow line gets no more than it can take, so that no
/// page runs out of its time.
struct PageSize {
    private static let usual = 100
    private static let largest = 500
    /// A page that came within so many milliseconds was quick.
    private static let quick: Int64 = 5000
    /// One that took so many milliseconds was slow.
    private static let slow: Int64 = 20_000
    /// So much text is enough for a page, in bytes.
    private static let text = 256 << 10

    private(set) var limit = usual
    private var most = largest

    /// Learns from a page that took so many milliseconds.
    mutating func took(_ milliseconds: Int64, for page: CatchUpPage) {
        if milliseconds >= Self.slow {
            limit = max(limit / 2, Self.usual)
        } else if milliseconds < Self.quick, page.messages.count >= limit,
            page.messages.reduce(0, { $0 + ($1.message.body?.utf8.count ?? 0) }) < Self.text
        {
            limit = min(limit * 2, most)
        }
    }

    /// No page came: true when fewer messages than before are asked for now, and never more again.
    mutating func failed() -> Bool {
        guard limit > Self.usual else { return false }
        limit = Self.usual
        most = Self.usual
        return true
    }
}
