// SPDX-License-Identifier: Apache-2.0
package import ChatAPI

/// Who may use the service: what the file `access.json` of a profile holds.
///
/// No secret is in it, only digests.
package struct WebAccess: Hashable, Codable, Sendable {
    /// A browser that is signed in.
    package struct Session: Hashable, Codable, Sendable {
        package var id: String
        package var label: String
        /// Of the cookie's value.
        package var digest: String
        package var created: Timestamp
        /// To the hour.
        package var used: Timestamp
    }

    /// A one-time code that was not used yet.
    package struct Code: Hashable, Codable, Sendable {
        package var digest: String
        package var expires: Timestamp
    }

    /// What is kept of the optional password.
    package struct Password: Hashable, Codable, Sendable {
        package var salt: String
        package var iterations: Int
        package var key: String
    }

    package var version = 1
    package var sessions: [Session] = []
    package var codes: [Code] = []
    package var password: Password?

    package init() {}

    /// How long a code is good.
    package static let codeMilliseconds: Int64 = 10 * 60 * 1000
    /// How long a session lives without being used.
    package static let sessionMilliseconds: Int64 = 180 * 24 * 3600 * 1000
    /// Codes at once; the oldest goes for another one.
    package static let codeLimit = 16
    /// Sessions at once.
    package static let sessionLimit = 100

    /// Forgets what is over.
    package mutating func expire(_ now: Timestamp) {
        codes.removeAll { $0.expires < now }
        sessions.removeAll { $0.used.milliseconds &+ Self.sessionMilliseconds < now.milliseconds }
    }

    package mutating func add(code: String, _ now: Timestamp) -> Timestamp {
        expire(now)
        let expires = Timestamp(milliseconds: now.milliseconds &+ Self.codeMilliseconds)
        codes.append(Code(digest: WebSecret.digestText(WebSecret.normalized(code: code)), expires: expires))
        if codes.count > Self.codeLimit { codes.removeFirst(codes.count - Self.codeLimit) }
        return expires
    }

    /// Where a code stands in the list; compares with all of them in a time that does not tell how close it was.
    package func index(of code: String, _ now: Timestamp) -> Int? {
        let digest = WebSecret.digestText(WebSecret.normalized(code: code))
        var found: Int?
        for (index, known) in codes.enumerated() where WebSecret.equal(known.digest, digest) {
            if known.expires >= now { found = index }
        }
        return found
    }

    /// The session of a cookie.
    package func session(secret: String, _ now: Timestamp) -> Session? {
        let digest = WebSecret.digestText(secret)
        var found: Session?
        for session in sessions where WebSecret.equal(session.digest, digest) { found = session }
        guard let found, found.used.milliseconds &+ Self.sessionMilliseconds >= now.milliseconds else { return nil }
        return found
    }
}
