// SPDX-License-Identifier: Apache-2.0
import Glibc

/// File names as the user gave them, made independent of the directory that the process runs in.
enum FilePlace {
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let buffer = getcwd(nil, 0) else { return path }
        defer { free(buffer) }
        return String(cString: buffer) + "/" + path
    }
}
