// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "RoomBot",
    dependencies: [.package(name: "apus", path: "../..")],
    targets: [.executableTarget(name: "RoomBot", dependencies: [.product(name: "XMPP", package: "apus")])]
)
