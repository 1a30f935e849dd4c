// SPDX-License-Identifier: Apache-2.0

extension SessionConfiguration {
    /// What every client should answer: ping.
    public static var defaultModules: [any SessionModule] { [PingModule()] }
}
