// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import Glibc

/// The chat core in this process.
package protocol LocalCore: ChatClient {
    /// Ends its streams with `leaving`, closes its connections in order, writes everything down and lets the profile go.
    func close() async
    /// So many other processes are attached now.
    func attachedCountChanged(to count: Int)
}

extension LocalCore {
    package func attachedCountChanged(to count: Int) {}
}

/// How a core is opened; it throws `busy` when another process holds the profile.
package typealias CoreOpener = @Sendable (ProfilePaths) async throws(ChatAPIError) -> any LocalCore

/// A held profile: the core, and the socket on which other processes use it.
package final class ProfileHolder: Sendable {
    package let core: any LocalCore
    private let server: SocketServer

    private init(core: any LocalCore, server: SocketServer) {
        self.core = core
        self.server = server
    }

    /// Opens the core and starts to serve it.
    ///
    /// Throws `busy` when another process holds the profile.
    package static func open(
        _ paths: ProfilePaths, program: String, role: String, opener: CoreOpener
    ) async throws(ChatAPIError) -> ProfileHolder {
        try paths.prepare()
        let core = try await opener(paths)
        let identity = SocketServer.Identity(program: program, role: role, directory: paths.directory)
        let server = SocketServer(
            client: core, identity: identity, location: paths.socket, user: paths.user,
            onConnections: { core.attachedCountChanged(to: $0) })
        do throws(ChatAPIError) {
            try server.start()
        } catch {
            await core.close()
            throw error
        }
        return ProfileHolder(core: core, server: server)
    }

    /// Lets the profile go without loss for the processes that use it.
    ///
    /// First it stays as it is while calls of others are under way, at most for `linger`; then it takes nothing new,
    /// which makes the others look for another holder or become it, and gives what is under way until `limit`.
    package func release(linger: Duration, limit: Duration) async {
        if linger > .zero { await server.waitUntilIdle(limit: linger) }
        await server.leave(limit: limit)
        await core.close()
    }
}
