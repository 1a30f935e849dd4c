// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// The ports that this process listens on for browsers: no link of a message ever leads there (T150).
enum OwnPorts {
    private static let ports = Locked<Set<UInt16>>([])

    static var all: Set<UInt16> { ports.withLock { $0 } }

    static func note(_ port: UInt16) { ports.withLock { _ = $0.insert(port) } }
}
