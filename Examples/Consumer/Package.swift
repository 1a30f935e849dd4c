// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import Foundation
import PackageDescription

// Where Apus is: a git repository with a tag of version 0.0.1 or later.
let apus = ProcessInfo.processInfo.environment["APUS_URL"] ?? "file:///path/to/apus"

let package = Package(
    name: "Consumer",
    dependencies: [.package(url: apus, from: "0.0.1"), .package(path: "Neighbour")],
    targets: [
        .executableTarget(
            name: "Consumer",
            dependencies: [
                .product(name: "XMPP", package: "apus"), .product(name: "ChatKit", package: "apus"),
                .product(name: "Neighbour", package: "Neighbour"),
            ])
    ]
)
