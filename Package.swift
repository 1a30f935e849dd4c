// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// The same language rules for every target; `Scripts/check-imports` holds the table of who may import whom.
let rules: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: rules)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], resources: [Resource] = []
) -> Target {
    // A release build of tests is for what they test: to optimise them too takes minutes and finds nothing.
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, resources: resources,
        swiftSettings: rules + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

let package = Package(
    name: "apus",
    products: [
        .library(name: "XMPP", targets: ["XMPP"]),
        .library(name: "ChatKit", targets: ["ChatKit"]),
        .executable(name: "apus", targets: ["apus"]),
    ],
    targets: [
        // C libraries of the system: a module map and a shim each, no code of their own.
        .systemLibrary(name: "ApusCAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "ApusCCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "ApusCExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "ApusCIdn2", pkgConfig: "libidn2", providers: [.apt(["libidn2-dev"])]),
        .systemLibrary(name: "ApusCUnistring", providers: [.apt(["libunistring-dev"])]),
        .systemLibrary(name: "ApusCLinux"),
        .systemLibrary(
            name: "ApusCMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "ApusCOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "ApusCQrencode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "ApusCSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
        .systemLibrary(name: "ApusCSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
        .systemLibrary(name: "ApusCSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "ApusCVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
        .systemLibrary(name: "ApusCSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        // A library in C++ with one function for C in front of it.
        .target(name: "ApusCZXing", linkerSettings: [.linkedLibrary("ZXing")]),

        library("ApusCrypto", ["ApusCOpenSSL"]),
        library("ApusTransport", ["ApusCAres", "ApusCCurl", "ApusCLinux", "ApusCrypto"]),
        library("XMPP", ["ApusCIdn2", "ApusCUnistring", "ApusCrypto", "ApusTransport"]),
        library("ApusSQLite", ["ApusCSQLite"]),
        library("ChatKit", ["XMPP", "ApusSQLite", "ApusCrypto", "ApusTransport"]),
        library("ChatAPI", ["ApusTransport"]),
        // Web is the web app as it is sent to browsers.
        .target(
            name: "ChatService",
            dependencies: ["ChatKit", "ChatAPI", "XMPP", "ApusCMicrohttpd", "ApusCrypto", "ApusTransport"],
            resources: [.copy("Web")], swiftSettings: rules),
        library("ApusDesktop", ["ApusCQrencode", "ApusCSecret", "ApusCSystemd", "ApusTransport", "ChatKit"]),
        // Decodes pictures, confined, for those that must not do it themselves.
        .executableTarget(
            name: "apus-image", dependencies: ["ApusCSeccomp", "ApusCVips", "ApusCZXing"], swiftSettings: rules),
        .executableTarget(
            name: "apus", dependencies: ["ApusDesktop", "ApusTransport", "ChatAPI", "ChatKit", "ChatService"],
            swiftSettings: rules),

        .target(
            name: "XMPPTesting", dependencies: ["XMPP", "ApusTransport", "ApusCrypto"],
            path: "Tests/XMPPTesting", swiftSettings: rules),
        // What the XML parser is compared with, and the long run of that comparison; neither is a product.
        .target(
            name: "XMLDifferential", dependencies: ["XMPP", "ApusCExpat"], path: "Fuzz/XMLDifferential",
            swiftSettings: rules),
        .executableTarget(
            name: "apus-fuzz-xml", dependencies: ["XMLDifferential", "XMPP"], path: "Fuzz/Driver",
            swiftSettings: rules),
        // Logs in for `Scripts/login-flights`; no product either.
        .executableTarget(
            name: "apus-login-flights", dependencies: ["XMPP"], path: "Tests/LoginFlights", swiftSettings: rules),
        // A profile with very many messages, for `Scripts/bench chatkit`; no product either.
        .executableTarget(
            name: "apus-scale", dependencies: ["ApusSQLite", "ChatKit", "XMPP"], path: "Tests/Scale",
            swiftSettings: rules),
        // What libFuzzer calls (Scripts/fuzz); the unit tests run it over the kept inputs.
        .target(
            name: "FuzzTargets", dependencies: ["XMPP", "ApusCrypto"], path: "Fuzz/Targets", swiftSettings: rules),
        .target(
            name: "ServiceFuzzTargets", dependencies: ["ChatAPI", "ChatService"], path: "Fuzz/ServiceTargets",
            swiftSettings: rules),
        // What the hostile server of Tests/Hostile runs against; not a product.
        .executableTarget(
            name: "apus-hostile-client", dependencies: ["XMPP", "ApusTransport"], path: "Tests/Hostile/Client",
            swiftSettings: rules),
        .target(
            name: "TransportTesting", dependencies: ["ApusTransport", "ApusCOpenSSL"], path: "Tests/TransportTesting",
            swiftSettings: rules),
        tests("ApusCryptoTests", ["ApusCrypto", "ApusCOpenSSL"]),
        tests(
            "ApusTransportTests", ["ApusTransport", "ApusCrypto", "ApusCOpenSSL", "TransportTesting", "XMPPTesting"]),
        tests(
            "XMPPTests",
            [
                "XMPP", "XMPPTesting", "TransportTesting", "ApusTransport", "XMLDifferential", "FuzzTargets",
                "ApusCExpat",
                "ApusCrypto",
            ],
            resources: [.copy("Fixtures")]),
        tests("ApusDesktopTests", ["ApusDesktop", "ApusTransport", "ChatKit", "apus-image"]),
        tests("ApusSQLiteTests", ["ApusSQLite"]),
        tests(
            "ChatKitTests",
            ["ChatKit", "XMPP", "XMPPTesting", "TransportTesting", "ApusSQLite", "ApusTransport"]),
        .target(
            name: "ChatTesting", dependencies: ["ChatAPI", "ChatService", "ApusTransport"], path: "Tests/ChatTesting",
            swiftSettings: rules),
        tests("ChatAPITests", ["ChatAPI", "ChatService", "ChatTesting"]),
        tests(
            "ChatServiceTests",
            [
                "ApusCrypto", "ApusTransport", "ChatAPI", "ChatKit", "ChatService", "ChatTesting",
                "ServiceFuzzTargets", "XMPP", "XMPPTesting",
            ]),
        tests(
            "ApusTests",
            [
                "apus", "apus-image", "ApusTransport", "ApusCOpenSSL", "ChatAPI", "ChatService", "ChatTesting",
                "TransportTesting",
                "XMPP",
                "XMPPTesting",
            ]),
    ],
    cxxLanguageStandard: .cxx17
)
