// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Where the socket of a profile is: `$XDG_RUNTIME_DIR/apus/PROFILE.sock`, or `/tmp/apus-UID/PROFILE.sock` when there
/// is no runtime directory.
package struct SocketLocation: Hashable, Sendable {
    /// The directory of all profiles' sockets.
    package let directory: String
    package let path: String

    package init(directory: String, path: String) {
        self.directory = directory
        self.path = path
    }

    /// Works out the place without touching it.
    package init(profile: String, environment: [String: String], user: UInt32) throws(ChatAPIError) {
        try Self.check(profile: profile)
        if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"), Self.isDirectory(runtime) {
            directory = (runtime.hasSuffix("/") ? String(runtime.dropLast()) : runtime) + "/apus"
        } else {
            directory = "/tmp/apus-\(user)"
        }
        path = directory + "/" + profile + ".sock"
        guard path.utf8.count <= UnixSocket.pathBytes else {
            throw ChatAPIError(
                .invalidArgument,
                "the socket path \(path) has \(path.utf8.count) bytes, and \(UnixSocket.pathBytes) is the most that works",
                hint: "use a shorter profile name or a shorter XDG_RUNTIME_DIR")
        }
    }

    /// Makes the directory if it is missing, and refuses one that others could tamper with.
    package func prepareDirectory(user: UInt32) throws(ChatAPIError) {
        if mkdir(directory, 0o700) != 0, errno != EEXIST {
            throw ChatAPIError(
                .storage, "cannot make \(directory): \(String(cString: strerror(errno)))",
                hint: "check XDG_RUNTIME_DIR")
        }
        try Self.checkPrivate(directory, user: user)
    }

    /// A directory, not a link to one, that is ours; access by others is taken away.
    package static func checkPrivate(_ directory: String, user: UInt32) throws(ChatAPIError) {
        var status = stat()
        guard lstat(directory, &status) == 0 else {
            throw ChatAPIError(.storage, "cannot look at \(directory): \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw ChatAPIError(.storage, "\(directory) is not a directory", hint: "move it away")
        }
        guard status.st_uid == user else {
            throw ChatAPIError(
                .storage, "\(directory) belongs to another user (\(status.st_uid))",
                hint: "set XDG_RUNTIME_DIR to a directory of your own")
        }
        if status.st_mode & 0o077 != 0, chmod(directory, 0o700) != 0 {
            throw ChatAPIError(.storage, "\(directory) is open to other users", hint: "chmod 700 \(directory)")
        }
    }

    /// A profile's name is part of file names: letters, digits, `.`, `_` and `-`, not starting with a dot.
    package static func check(profile: String) throws(ChatAPIError) {
        let isAllowed = profile.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 46
                || $0 == 95
        }
        guard isAllowed, (1...64).contains(profile.utf8.count), !profile.hasPrefix("."), !profile.hasPrefix("-") else {
            throw ChatAPIError(
                .invalidArgument, "\"\(profile)\" is not a profile name",
                hint: "use up to 64 letters, digits, '.', '_' and '-', not starting with '.' or '-'")
        }
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
