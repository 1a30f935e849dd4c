// SPDX-License-Identifier: Apache-2.0
import ChatKit
import Neighbour
import XMPP

/// Both libraries of Apus beside a package that has a `CSQLite` target of its own.
@main
struct Consumer {
    static func main() throws {
        let address = try JID("alice@example.org/desk")
        print("\(address.bare) beside SQLite \(sqliteVersion())")
    }
}
