// SPDX-License-Identifier: Apache-2.0

extension SessionConfiguration {
    /// What every client should answer: ping, and changes of the contact list.
    public static var defaultModules: [any SessionModule] { [PingModule(), RosterModule()] }
}
