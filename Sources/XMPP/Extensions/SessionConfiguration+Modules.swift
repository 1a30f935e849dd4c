// SPDX-License-Identifier: Apache-2.0

extension SessionConfiguration {
    /// What every client should answer: what it is and can do, pings, its version, the time, and changes of the contact
    /// list.
    public static var defaultModules: [any SessionModule] {
        [DiscoModule(), PingModule(), VersionModule(), EntityTimeModule(), RosterModule()]
    }
}
