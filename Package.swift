// swift-tools-version: 6.2
import PackageDescription

/// Every target of ours is built alike: Swift 6 mode, no warning survives.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// What reads foreign bytes, for `make fuzz`: with `REX_FUZZ` a program that libFuzzer drives, and
/// otherwise a test that replays what was found.
let isFuzzing = Context.environment["REX_FUZZ"] != nil
let fuzzed: [Target.Dependency] = ["Rex", "RexProtocol", "RexServer", "RexWebSocket"]
let fuzz: Target =
    isFuzzing
    ? .executableTarget(
        name: "rex-fuzz", dependencies: fuzzed, path: "Fuzz",
        exclude: ["Corpus", "Crashes", "Replay"], swiftSettings: strict,
        linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address", "-use-ld=lld"])])
    : .testTarget(
        name: "FuzzTests", dependencies: fuzzed, path: "Fuzz",
        exclude: ["Corpus", "Crashes", "Driver"], swiftSettings: strict)

let package = Package(
    name: "rex",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "Rex", targets: ["Rex"]),
        .library(name: "RexProtocol", targets: ["RexProtocol"]),
        .library(name: "RexServer", targets: ["RexServer"]),
        .library(name: "RexClient", targets: ["RexClient"]),
        .library(name: "RexTesting", targets: ["RexTesting"]),
        .executable(name: "rex-server", targets: ["rex-server"]),
        .executable(name: "rex-client", targets: ["rex-client"]),
    ],
    targets: [
        // C libraries of the system.
        .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(name: "CEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),

        .systemLibrary(name: "CWslay", providers: [.apt(["libwslay-dev"])]),
        .systemLibrary(name: "CHTTPParser", providers: [.apt(["libhttp-parser-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        // The house, from the ground up.
        .target(name: "Rex", swiftSettings: strict),
        .target(name: "RexProtocol", dependencies: ["Rex"], swiftSettings: strict),
        .target(
            name: "RexLoop", dependencies: ["CUV"], path: "Sources/Loop", swiftSettings: strict),
        .target(
            name: "RexWebSocket", dependencies: ["CWslay", "CZlib", "COpenSSL"],
            path: "Sources/WebSocket", swiftSettings: strict),
        .target(
            name: "RexTLS", dependencies: ["COpenSSL", "RexLoop"], path: "Sources/TLS",
            swiftSettings: strict),
        .target(name: "RexCommandLine", path: "Sources/CommandLine", swiftSettings: strict),
        .target(
            name: "RexServer",
            dependencies: [
                "Rex", "RexProtocol", "RexLoop", "RexWebSocket", "RexTLS", "COpenSSL",
                "CHTTPParser", "CSQLite",
            ],
            resources: [.embedInCode("HTTP/Pages")],
            swiftSettings: strict),
        .target(
            name: "RexClient",
            dependencies: [
                "Rex", "RexProtocol", "RexLoop", "RexWebSocket", "RexTLS", "RexCommandLine",
            ],
            swiftSettings: strict),
        .target(
            name: "RexExamples", dependencies: ["Rex", "RexProtocol"], path: "Examples",
            exclude: ["Embedding", "Poll", "Program", "Transcripts"], swiftSettings: strict),
        .target(
            name: "RexTesting", dependencies: ["Rex", "RexClient", "RexProtocol"],
            swiftSettings: strict),

        // The two programs.
        .executableTarget(
            name: "rex-server",
            dependencies: ["RexServer", "RexExamples", "RexCommandLine", "RexLoop"],
            swiftSettings: strict),
        .executableTarget(
            name: "rex-client", dependencies: ["RexClient", "RexCommandLine", "RexLoop", "CEdit"],
            swiftSettings: strict),

        // The program of README.md, as somebody else would write it.
        .executableTarget(
            name: "embedding-example", dependencies: ["Rex", "RexProtocol", "RexServer"],
            path: "Examples/Embedding", swiftSettings: strict),

        // The program of docs/hosting.md, likewise.
        .executableTarget(
            name: "PollServer", dependencies: ["Rex", "RexProtocol", "RexServer"],
            path: "Examples/Poll", swiftSettings: strict),

        // The examples in a terminal.
        .executableTarget(
            name: "rex-examples", dependencies: ["Rex", "RexExamples", "RexLoop", "RexTesting"],
            path: "Examples/Program", swiftSettings: strict),

        // Figures, a table each.
        .executableTarget(
            name: "rex-bench",
            dependencies: ["Rex", "RexClient", "RexLoop", "RexProtocol", "RexTesting"],
            path: "Benchmarks", exclude: ["Peer"], swiftSettings: strict),
        .executableTarget(
            name: "uv-peer", dependencies: ["CUV"], path: "Benchmarks/Peer"),

        // What a suite of WebSocket cases drives; no part of the product.
        .executableTarget(
            name: "websocket-echo", dependencies: ["RexLoop", "RexWebSocket"], path: "Tests/Echo",
            exclude: ["cases.py"],
            swiftSettings: strict),

        // How often the server asks for memory, counted in a process of its own.
        .target(name: "AllocationCounter", path: "Tests/Allocations/Counter"),
        .executableTarget(
            name: "rex-allocations",
            dependencies: ["AllocationCounter", "Rex", "RexExamples", "RexServer"],
            path: "Tests/Allocations", exclude: ["Counter", "ceilings.txt"],
            swiftSettings: strict),

        // Tests, a ring each.
        .testTarget(name: "RexTests", dependencies: ["Rex", "RexTesting"], swiftSettings: strict),
        .testTarget(
            name: "RexProtocolTests", dependencies: ["RexProtocol", "RexTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "RexWebSocketTests", dependencies: ["RexWebSocket", "RexTesting"],
            swiftSettings: strict),
        .testTarget(name: "RexLoopTests", dependencies: ["RexLoop"], swiftSettings: strict),
        .testTarget(
            name: "RexTLSTests", dependencies: ["RexTLS", "RexLoop", "COpenSSL"],
            exclude: ["Certificates"],
            swiftSettings: strict),
        .testTarget(
            name: "RexServerTests",
            dependencies: [
                "Rex", "RexClient", "RexProtocol", "RexLoop", "RexServer", "RexExamples",
                "RexTesting",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "RexClientTests", dependencies: ["RexClient", "RexTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "RexExamplesTests", dependencies: ["RexExamples", "RexTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "PollServerTests",
            dependencies: [
                "PollServer", "Rex", "RexClient", "RexProtocol", "RexServer", "RexTesting",
            ], swiftSettings: strict),
        .testTarget(name: "HouseTests", swiftSettings: strict),
        .testTarget(
            name: "ProcessTests",
            dependencies: [
                "RexClient", "RexProtocol", "RexTesting", "rex-server", "rex-client",
                "embedding-example", "PollServer", "rex-examples", "rex-allocations",
            ], exclude: ["Durable/Faults"], swiftSettings: strict),
        fuzz,
    ]
)
