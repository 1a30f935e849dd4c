// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What changes about a file when its content does.
struct FileStamp: Hashable {
    private var device: UInt64 = 0
    private var number: UInt64 = 0
    private var byteCount: Int64 = 0
    private var seconds = 0
    private var nanoseconds = 0

    /// The stamp of the file at `path`; all zero where there is none.
    init(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        byteCount = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
