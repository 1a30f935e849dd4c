// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// Decides how a file is fetched: which redirects are followed, when a broken transfer is taken up again and where what
/// comes belongs (RFC 9110 §14, §15.4).
struct DownloadStateMachine: Sendable, Equatable {
    enum Action: Sendable, Equatable {
        /// Asks for the file, or for the rest of it.
        case request(url: String, offset: Int64, validator: String?)
        case finished
        case fail(XMPPError)
    }

    /// Where the bytes of an answer belong.
    enum Placement: Sendable, Equatable {
        case beginning
        case end
        /// They are not what was asked for.
        case nowhere
    }

    /// A broken transfer is taken up again so often.
    static let resumptions = 3

    private(set) var url: String
    private var redirectsLeft: Int
    private var resumptionsLeft = Self.resumptions
    /// Bytes of the file that are there.
    private(set) var offset: Int64 = 0
    private(set) var total: Int64?
    private var validator: String?
    private var isPlaced = false
    private var isWrong = false

    init(url: String, maximumRedirects: Int) {
        self.url = url
        redirectsLeft = maximumRedirects
    }

    mutating func start() -> Action {
        isPlaced = false
        isWrong = false
        let canResume = offset > 0 && validator != nil
        if !canResume { offset = 0 }
        return .request(url: url, offset: offset, validator: canResume ? validator : nil)
    }

    /// The head of a successful answer came, with the first bytes or alone.
    mutating func placed(_ head: HTTPResponse) -> Placement {
        guard !isPlaced else { return isWrong ? .nowhere : .end }
        isPlaced = true
        if head.status == 206 {
            guard let range = Self.range(head.field("content-range")), range.start == offset, offset > 0,
                total == nil || range.total == nil || range.total == total
            else {
                isWrong = true
                return .nowhere
            }
            total = range.total ?? total
            return .end
        }
        offset = 0
        total = head.field("content-length").flatMap { Int64($0) }
        let tag = head.field("etag").flatMap { $0.hasPrefix("\"") ? $0 : nil }
        validator = head.field("accept-ranges")?.lowercased() == "bytes" ? tag : nil
        return .beginning
    }

    mutating func received(_ count: Int) { offset += Int64(count) }

    /// The server answered to the end.
    mutating func answered(_ response: HTTPResponse, host: String) -> Action {
        switch response.status {
        case 301, 302, 303, 307, 308:
            guard let redirect = response.redirect else { return .fail(.status(response.status, host: host)) }
            guard redirectsLeft > 0 else {
                return .fail(XMPPError(.httpRefused, "\(host) sends from one place to the next without end"))
            }
            redirectsLeft -= 1
            url = redirect
            (offset, total, validator) = (0, nil, nil)
            return start()
        case 200, 206:
            if !isPlaced { _ = placed(response) }
            guard !isWrong, total == nil || total == offset else { return again(Self.broken(host)) }
            return .finished
        case 416:
            // What is there is more than the server has now.
            (offset, total, validator) = (0, nil, nil)
            return again(.status(response.status, host: host))
        default:
            return .fail(.status(response.status, host: host))
        }
    }

    /// The transfer broke off.
    mutating func failed(_ error: XMPPError) -> Action {
        let isWorthIt = error.isRetryable && error.code != .timedOut && offset > 0 && validator != nil
        return isWorthIt ? again(error) : .fail(error)
    }

    private mutating func again(_ error: XMPPError) -> Action {
        guard resumptionsLeft > 0 else { return .fail(error) }
        resumptionsLeft -= 1
        return start()
    }

    private static func broken(_ host: String) -> XMPPError {
        XMPPError(.transferFailed, "\(host) sent something else than was asked for", isRetryable: true)
    }

    /// `bytes FIRST-LAST/TOTAL` (RFC 9110 §14.4).
    private static func range(_ text: String?) -> (start: Int64, total: Int64?)? {
        guard let text, text.hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst(6).split(separator: "/", maxSplits: 1)
        let ends = (parts.first ?? "").split(separator: "-", maxSplits: 1)
        guard parts.count == 2, ends.count == 2, let first = Int64(ends[0]), let last = Int64(ends[1]), first >= 0,
            last >= first
        else { return nil }
        if parts[1] == "*" { return (first, nil) }
        guard let total = Int64(parts[1]), total > last else { return nil }
        return (first, total)
    }
}
