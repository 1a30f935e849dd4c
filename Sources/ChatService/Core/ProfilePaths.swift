// SPDX-License-Identifier: Apache-2.0
package import ChatAPI
import Glibc

/// Where a profile lives: its directory under `$XDG_DATA_HOME/apus`, its socket under `$XDG_RUNTIME_DIR/apus`.
package struct ProfilePaths: Hashable, Sendable {
    package let profile: String
    /// The profile's own directory (0700).
    package let directory: String
    package let socket: SocketLocation
    package let user: UInt32

    private let parent: String

    /// Works out the places without touching them.
    package init(profile: String, environment: [String: String], user: UInt32 = getuid()) throws(ChatAPIError) {
        socket = try SocketLocation(profile: profile, environment: environment, user: user)
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            parent = (data.hasSuffix("/") ? String(data.dropLast()) : data) + "/apus"
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            parent = home + "/.local/share/apus"
        } else {
            throw ChatAPIError(.storage, "there is no home directory", hint: "set HOME or XDG_DATA_HOME")
        }
        directory = parent + "/" + profile
        self.profile = profile
        self.user = user
    }

    /// The profile has been used before.
    package var exists: Bool {
        var status = stat()
        return stat(directory, &status) == 0
    }

    /// Makes what is missing, and takes other users' rights away from what is there.
    package func prepare() throws(ChatAPIError) {
        try Self.makeParents(of: parent)
        for path in [parent, directory] {
            if mkdir(path, 0o700) != 0, errno != EEXIST { throw Self.cannotMake(path) }
            try SocketLocation.checkPrivate(path, user: user)
        }
    }

    private static func makeParents(of path: String) throws(ChatAPIError) {
        var partial = ""
        for part in path.split(separator: "/").dropLast() {
            partial += "/" + part
            if mkdir(partial, 0o700) != 0, errno != EEXIST, errno != EISDIR, errno != EROFS, errno != EACCES {
                throw cannotMake(partial)
            }
        }
    }

    private static func cannotMake(_ path: String) -> ChatAPIError {
        ChatAPIError(
            .storage, "cannot make \(path): \(String(cString: strerror(errno)))",
            hint: "check its rights, or set XDG_DATA_HOME")
    }
}
