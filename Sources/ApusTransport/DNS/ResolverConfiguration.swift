// SPDX-License-Identifier: Apache-2.0

/// How names are looked up.
package struct ResolverConfiguration: Sendable, Hashable {
    /// Name servers as `address[:port],…`; nil takes those of `/etc/resolv.conf` (and names of `/etc/hosts` first).
    package var servers: String?
    /// How long one server has for its first answer; doubled for each further try.
    ///
    /// Defaults to 1.5 seconds.
    package var timeout: Duration
    /// How often each server is asked.
    ///
    /// Defaults to 3.
    package var tries: Int

    package init(servers: String? = nil, timeout: Duration = .milliseconds(1500), tries: Int = 3) {
        self.servers = servers
        self.timeout = timeout
        self.tries = tries
    }
}

/// What a look-up of a service gave.
package enum ServiceAnswer: Hashable, Sendable {
    /// At least one usable record.
    case records([ServiceRecord])
    /// The only target is ".": decidedly not available (RFC 2782).
    case notOffered
    /// No such record, or none that can be used.
    case none
    /// No answer, or a bad one.
    case failed(String)
}

/// What a look-up of a host's addresses gave.
package enum AddressAnswer: Hashable, Sendable {
    case addresses([IPAddress])
    case none
    case failed(String)
}
