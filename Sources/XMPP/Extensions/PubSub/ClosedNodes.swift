// SPDX-License-Identifier: Apache-2.0
import ApusTransport

/// The nodes of the account that are known, on this stream, to be closed to others.
///
/// Owner of the list: its lock.
package final class ClosedNodes: Sendable {
    private let nodes = Locked<Set<String>>([])

    func contains(_ node: String) -> Bool { nodes.withLock { $0.contains(node) } }
    func insert(_ node: String) { nodes.withLock { _ = $0.insert(node) } }
    func forget(_ node: String) { nodes.withLock { _ = $0.remove(node) } }
    func forgetAll() { nodes.withLock { $0 = [] } }
}
