// SPDX-License-Identifier: Apache-2.0

/// What shows a push service that requests come from the same sender (VAPID, RFC 8292).
package struct PushIdentity: Sendable {
    package let key: SigningKey
    /// A `mailto:` or `https:` address at which the sender can be reached.
    package let contact: String

    package init(key: SigningKey, contact: String) {
        self.key = key
        self.contact = contact
    }

    /// The public key as a browser takes it.
    package var publicKey: String { base64url(key.point) }

    /// The Authorization header of a request to a push service at `origin` (`https://host[:port]`).
    ///
    /// `expires` is a time in seconds since 1970, at most a day away.
    package func authorization(origin: String, expires: Int64) -> String? {
        let head = #"{"typ":"JWT","alg":"ES256"}"#
        let claims = #"{"aud":"\#(origin)","exp":\#(expires),"sub":"\#(contact)"}"#
        let content = base64url(Array(head.utf8)) + "." + base64url(Array(claims.utf8))
        return key.sign(Array(content.utf8)).map { "vapid t=\(content).\(base64url($0)),k=\(publicKey)" }
    }
}
