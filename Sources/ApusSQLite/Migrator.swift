// SPDX-License-Identifier: Apache-2.0

/// One numbered step of the schema; once released it is never edited.
package struct Migration: Sendable {
    /// The version that the database has afterwards, from 1 without a gap.
    package let number: Int
    package let name: String
    let body: @Sendable (Connection) throws -> Void

    package init(_ number: Int, _ name: String, _ body: @escaping @Sendable (Connection) throws -> Void) {
        self.number = number
        self.name = name
        self.body = body
    }

    package init(_ number: Int, _ name: String, script: String) {
        self.init(number, name) { try $0.execute(script) }
    }
}

/// Brings a database to the newest version, each step in a transaction of its own.
package struct Migrator: Sendable {
    private let migrations: [Migration]

    package init(_ migrations: [Migration]) {
        self.migrations = migrations.sorted { $0.number < $1.number }
    }

    /// The version after all steps.
    package var newestVersion: Int { migrations.last?.number ?? 0 }

    /// Applies what is missing.
    ///
    /// A step that throws is rolled back whole, and the database stays at the version before it. A database
    /// that is newer than the last step is refused and left alone.
    package func migrate(_ connection: Connection) throws {
        let version = try Self.version(of: connection)
        guard version <= newestVersion else {
            throw SQLiteError(
                kind: .newerSchema,
                message: "the database has version \(version), this program knows \(newestVersion)")
        }
        for migration in migrations where migration.number > version {
            try connection.transaction {
                try migration.body(connection)
                if let table: String = try connection.value("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1") {
                    throw SQLiteError(
                        kind: .constraint,
                        message: "migration \(migration.name) leaves a broken reference in \(table)")
                }
                try connection.execute("PRAGMA user_version=\(migration.number)")
            }
        }
    }

    /// The version that a database has now.
    package static func version(of connection: Connection) throws -> Int {
        try connection.value("PRAGMA user_version") ?? 0
    }
}
