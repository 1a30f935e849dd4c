// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// The version of the SQLite library.
public func sqliteVersion() -> String { String(cString: sqlite3_libversion()) }
