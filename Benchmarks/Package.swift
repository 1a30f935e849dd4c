// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "apus", path: "..")],
    targets: [
        .executableTarget(
            name: "bench-adapter", dependencies: [.product(name: "XMPP", package: "apus")],
            swiftSettings: [
                .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            ])
    ]
)
