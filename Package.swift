// swift-tools-version: 6.2
import PackageDescription

// `dev/` and CI set APUS_STRICT=1: then a warning in this package is an error. It is a switch and not
// the default because a package that others depend on must not break their build with a new compiler.
let strict = Context.environment["APUS_STRICT"] == "1"

let swiftSettings: [SwiftSetting] =
    ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].map { .enableUpcomingFeature($0) }
    + (strict ? [.treatAllWarnings(as: .error)] : [])

// The commit that `apus --version` names; Sources/apus/Version.swift says how it gets there.
let commit = Context.environment["APUS_COMMIT"] ?? ""
let isCommit = (7...64).contains(commit.utf8.count) && commit.allSatisfy { $0.isASCII && $0.isHexDigit }

extension Target.Dependency {
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let asn1 = product(name: "SwiftASN1", package: "swift-asn1")
    static let asyncHTTPClient = product(name: "AsyncHTTPClient", package: "async-http-client")
    static let crypto = product(name: "Crypto", package: "swift-crypto")
    static let cryptoExtras = product(name: "CryptoExtras", package: "swift-crypto")
    static let deque = product(name: "DequeModule", package: "swift-collections")
    static let httpTypes = product(name: "HTTPTypes", package: "swift-http-types")
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
    static let hummingbirdCore = product(name: "HummingbirdCore", package: "hummingbird")
    static let hummingbirdTesting = product(name: "HummingbirdTesting", package: "hummingbird")
    static let lifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let logging = product(name: "Logging", package: "swift-log")
    static let metrics = product(name: "Metrics", package: "swift-metrics")
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioEmbedded = product(name: "NIOEmbedded", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioHTTPTypes = product(name: "NIOHTTPTypes", package: "swift-nio-extras")
    static let nioTLS = product(name: "NIOTLS", package: "swift-nio")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
    static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
    static let x509 = product(name: "X509", package: "swift-certificates")
    static let yams = product(name: "Yams", package: "Yams")
}

let package = Package(
    name: "apus",
    // iOS is for ApusKit alone.
    platforms: [.iOS("16.1"), .macOS(.v15)],
    products: [
        .executable(name: "apus", targets: ["apus"]),
        .library(name: "APNs", targets: ["APNs"]),
        .library(name: "APNsClient", targets: ["APNsClient"]),
        .library(name: "APNsSimulator", targets: ["APNsSimulator"]),
        .library(name: "ApusScheduling", targets: ["ApusScheduling", "APNs", "Cron", "PushModel", "PushStore"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        // With two traits or more, the package manager writes them to the compiler's command line in a random order and so
        // compiles the package, and what imports it, again in every second build.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // System libraries; dev/setup installs them where they are missing. libnghttp2 is what tests compare with.
        .systemLibrary(
            name: "CNghttp2",
            pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]
        ),

        // The client library of PostgreSQL.
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),

        // ZeroMQ, for clients of apns-proxy-server.
        .systemLibrary(name: "CZeroMQ", pkgConfig: "libzmq", providers: [.apt(["libzmq3-dev"]), .brew(["zeromq"])]),

        // The system's SQLite; macOS brings it along.
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

        // What NIOSSL lacks of its own BoringSSL, which it links in.
        .target(name: "CPKCS12"),
        // The commit, in a target of its own: another commit compiles it and `apus` again, and nothing else.
        .target(name: "CBuildInfo", cSettings: isCommit ? [.define("APUS_COMMIT", to: commit)] : []),
        // docs/openapi.yaml as bytes, embedded by the C compiler.
        .target(name: "COpenAPI"),
        // The console of the server and the device wall of the simulator, embedded in the same way.
        .target(name: "CWebPages", exclude: ["console", "shared", "wall"]),
        // What Swift's module of glibc lacks.
        .systemLibrary(name: "CSpawn"),

        // Layer 0: pure vocabulary, and the system's calls.
        .target(name: "APNs"),
        .target(name: "SQLite", dependencies: ["CSQLite"]),
        .target(name: "Spawn", dependencies: ["CSpawn"]),
        .target(name: "WallTime", dependencies: ["APNs"]),
        .target(name: "ZeroMQ", dependencies: ["CZeroMQ"]),
        .target(name: "WebPages", dependencies: ["CWebPages", .httpTypes, .hummingbird, .nioCore]),
        .target(name: "Cron", dependencies: ["APNs", "WallTime"]),
        .target(name: "JSONSchema", dependencies: ["APNs"]),
        .target(name: "PushModel", dependencies: ["APNs", "Cron", "JSONSchema", "WallTime", .crypto]),
        .target(name: "AppAttest", dependencies: [.asn1, .crypto, .x509]),

        // Layer 1
        .target(name: "HTTP2Session", dependencies: [.nioCore, .nioPosix, .nioSSL, .nioTLS]),
        .target(name: "PushStore", dependencies: ["APNs", "JSONSchema", "PushModel", .logging, .metrics]),
        .target(name: "SNSProtocol", dependencies: ["APNs", .crypto, .cryptoExtras]),
        .target(name: "Telemetry", dependencies: [.logging, .metrics]),

        // Layer 2
        .target(
            name: "APNsClient",
            dependencies: [
                "APNs", "CPKCS12", "HTTP2Session", .crypto, .deque, .lifecycle, .logging, .metrics, .nioCore, .nioSSL,
            ]
        ),
        .target(
            name: "APNsSimulator",
            dependencies: [
                "APNs", "HTTP2Session", "WebPages", .asn1, .crypto, .cryptoExtras, .deque, .httpTypes, .hummingbird,
                .lifecycle, .logging, .nioCore, .nioPosix, .nioSSL, .nioTLS, .x509,
            ]
        ),
        .target(name: "SQLStore", dependencies: ["APNs", "JSONSchema", "PushModel", "PushStore", .logging]),
        .target(name: "Work", dependencies: ["APNs", "PushModel", "PushStore", .lifecycle, .logging, .metrics]),

        // Layer 3
        .target(
            name: "SQLiteStore",
            dependencies: ["APNs", "CSpawn", "PushModel", "PushStore", "SQLStore", "SQLite", .logging, .metrics]
        ),
        .target(
            name: "PostgresStore",
            dependencies: [
                "APNs", "CLibPQ", "PushModel", "PushStore", "SQLStore", .deque, .lifecycle, .logging, .metrics,
            ]
        ),
        .target(
            name: "Delivery",
            dependencies: ["APNs", "PushModel", "PushStore", "APNsClient", "Work", .lifecycle, .logging, .metrics]
        ),
        .target(
            name: "Webhooks",
            dependencies: [
                "APNs", "PushModel", "PushStore", "Work", .asyncHTTPClient, .lifecycle, .logging, .metrics, .nioCore,
                .nioHTTP1, .nioPosix, .nioSSL,
            ]
        ),
        .target(
            name: "Topics",
            dependencies: [
                "APNs", "PushModel", "PushStore", "SNSProtocol", .asn1, .crypto, .cryptoExtras, .x509,
            ]
        ),
        .target(
            name: "Scheduling",
            dependencies: ["PushModel", "PushStore", "WallTime", "Work", .lifecycle, .logging, .metrics]
        ),

        // Layer 4
        .target(
            name: "TopicPosting",
            dependencies: [
                "APNs", "PushModel", "PushStore", "SNSProtocol", "Topics", "Webhooks", "Work", .lifecycle, .logging,
                .metrics,
            ]
        ),
        .target(
            name: "ApusScheduling",
            dependencies: [
                "APNs", "Cron", "PostgresStore", "PushModel", "PushStore", "SQLiteStore", "Scheduling", .lifecycle,
                .logging,
            ]
        ),
        .target(
            name: "PushAPI",
            dependencies: [
                "APNs", "AppAttest", "COpenAPI", "Cron", "JSONSchema", "PushModel", "PushStore", "SNSProtocol",
                "Topics", "WallTime", "WebPages", "Work", "ZeroMQ", .asn1, .httpTypes, .hummingbird, .hummingbirdCore,
                .lifecycle, .logging, .metrics, .nioCore, .nioHTTP1, .nioHTTPTypes, .nioSSL, .x509,
            ]
        ),
        .target(
            name: "CommandLineSupport",
            dependencies: [
                "APNs", "APNsSimulator", "PostgresStore", "PushModel", "PushStore", "SNSProtocol", "SQLiteStore",
                "Spawn", .argumentParser, .asyncHTTPClient, .lifecycle, .logging, .metrics, .nioCore, .nioHTTP1,
                .nioSSL,
            ]
        ),

        // Layer 5
        .executableTarget(
            name: "apus",
            dependencies: [
                "APNs", "APNsClient", "APNsSimulator", "CBuildInfo", "CSpawn", "CommandLineSupport", "Delivery",
                "PushAPI", "PushModel", "PushStore", "SNSProtocol", "Scheduling", "Telemetry", "TopicPosting", "Topics",
                "Webhooks", "Work", .argumentParser, .asn1, .crypto, .lifecycle, .logging, .metrics, .nioCore,
                .nioPosix, .nioSSL, .nioTLS, .unixSignals, .x509,
            ]
        ),
        // No part of the product: dev/bench, dev/soak and the tests run it.
        .executableTarget(
            name: "apus-bench",
            dependencies: [
                "APNs", "APNsClient", "APNsSimulator", "CommandLineSupport", "HTTP2Session", "PushModel", "PushStore",
                "SNSProtocol", "SQLite", "Scheduling", .argumentParser, .asyncHTTPClient, .crypto, .logging, .nioCore,
                .nioHTTP1, .nioPosix, .nioSSL,
            ]
        ),

        // The programs of the examples. They import only products, as a program in another package would.
        .target(
            name: "IventCore",
            dependencies: ["CSQLite", .asyncHTTPClient, .lifecycle, .nioCore, .nioHTTP1],
            path: "Examples/ivent/Core"
        ),
        .executableTarget(
            name: "ivent-backend",
            dependencies: ["IventCore", .crypto, .hummingbird, .lifecycle, .logging, .unixSignals],
            path: "Examples/ivent/Backend"
        ),
        .executableTarget(
            name: "ivent-scheduler",
            dependencies: [
                "ApusScheduling", "Cron", "IventCore", "PushModel", .crypto, .lifecycle, .logging, .unixSignals,
            ],
            path: "Examples/ivent/Scheduler"
        ),

        // Tests and what they share
        .target(
            name: "ApusTesting",
            dependencies: ["APNs", "APNsSimulator", .asn1, .crypto, .logging, .x509],
            path: "Tests/ApusTesting"
        ),
        .target(
            name: "StoreTesting",
            dependencies: [
                "APNs", "ApusTesting", "CLibPQ", "Cron", "JSONSchema", "PostgresStore", "PushModel", "PushStore",
                "SQLStore", "SQLiteStore", "Spawn", .logging,
            ],
            path: "Tests/StoreTesting"
        ),
        .testTarget(name: "APNsTests", dependencies: ["APNs"]),
        .testTarget(name: "JSONSchemaTests", dependencies: ["APNs", "JSONSchema"]),
        .testTarget(name: "AppAttestTests", dependencies: ["AppAttest", "ApusTesting"]),
        .testTarget(name: "WallTimeTests", dependencies: ["APNs", "WallTime"]),
        .testTarget(name: "CronTests", dependencies: ["APNs", "ApusTesting", "Cron"]),
        .testTarget(name: "PushModelTests", dependencies: ["APNs", "Cron", "JSONSchema", "PushModel", "ApusTesting"]),
        .testTarget(
            name: "HTTP2SessionTests",
            dependencies: [
                "CNghttp2", "HTTP2Session", "ApusTesting", .asn1, .crypto, .nioCore, .nioEmbedded, .nioPosix, .nioSSL,
                .x509,
            ]
        ),
        .testTarget(
            name: "SNSProtocolTests",
            dependencies: ["APNs", "SNSProtocol", "Spawn", .crypto],
            exclude: [
                "Vectors/botocore.json", "Vectors/signatures.json", "Vectors/make_vectors.py",
                "Vectors/parse_answers.py", "Vectors/deliveries.py",
            ]
        ),
        .testTarget(name: "TelemetryTests", dependencies: ["Telemetry", "ApusTesting", .logging, .metrics]),
        .testTarget(
            name: "APNsClientTests",
            dependencies: [
                "APNs", "APNsClient", "APNsSimulator", "HTTP2Session", "ApusTesting", .crypto, .lifecycle, .logging,
                .nioCore, .nioEmbedded, .nioPosix, .nioSSL,
            ]
        ),
        .testTarget(
            name: "APNsSimulatorTests",
            dependencies: [
                "APNs", "APNsSimulator", "HTTP2Session", "ApusTesting", .asn1, .asyncHTTPClient, .crypto, .hummingbird,
                .logging, .nioCore, .nioHTTP1, .nioPosix, .nioSSL, .x509, .yams,
            ],
            exclude: ["Recorded/answers.json", "Recorded/calls.json"]
        ),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "APNs", "ApusTesting", "Cron", "JSONSchema", "PostgresStore", "PushModel", "PushStore", "SQLStore",
                "SQLite", "SQLiteStore", "StoreTesting", "Telemetry", .logging, .metrics,
            ],
            exclude: ["Statements", "StoredValues.txt"]
        ),
        .testTarget(
            name: "SQLiteStoreTests",
            dependencies: [
                "APNs", "ApusTesting", "CSQLite", "PushModel", "PushStore", "SQLStore", "SQLite", "SQLiteStore",
                "StoreTesting", .logging, .metrics,
            ]
        ),
        .testTarget(
            name: "PostgresStoreTests",
            dependencies: [
                "APNs", "ApusTesting", "PostgresStore", "PushModel", "PushStore", "SQLStore", "StoreTesting", .logging,
            ]
        ),
        .testTarget(
            name: "WorkTests",
            dependencies: [
                "ApusTesting", "PushModel", "PushStore", "StoreTesting", "Telemetry", "Work", .lifecycle, .logging,
            ]
        ),
        .testTarget(
            name: "DeliveryTests",
            dependencies: [
                "APNs", "APNsClient", "APNsSimulator", "ApusTesting", "Delivery", "PushModel", "PushStore", "SQLStore",
                "SQLiteStore", "Scheduling", "StoreTesting", "Telemetry", "Work", .lifecycle, .logging, .metrics,
                .nioPosix,
            ]
        ),
        .testTarget(
            name: "SchedulingTests",
            dependencies: [
                "APNs", "ApusTesting", "Cron", "PushModel", "PushStore", "SQLStore", "SQLiteStore", "Scheduling",
                "StoreTesting", "Telemetry", .lifecycle, .logging,
            ]
        ),
        .testTarget(
            name: "ApusSchedulingTests",
            dependencies: [
                "APNs", "ApusScheduling", "ApusTesting", "Cron", "PostgresStore", "PushModel", "PushStore",
                "SQLStore", "SQLiteStore", "StoreTesting", .lifecycle, .logging,
            ]
        ),
        .testTarget(
            name: "WebhooksTests",
            dependencies: [
                "APNs", "APNsSimulator", "ApusTesting", "Cron", "PushModel", "PushStore", "SNSProtocol", "SQLStore",
                "Spawn",
                "StoreTesting", "TopicPosting", "Topics", "Webhooks", "Work", .asn1, .crypto, .cryptoExtras,
                .hummingbird, .lifecycle, .logging, .nioCore, .nioPosix, .nioSSL, .x509,
            ]
        ),
        .testTarget(
            name: "PushAPITests",
            dependencies: [
                "APNs", "APNsSimulator", "AppAttest", "ApusTesting", "CZeroMQ", "Cron", "JSONSchema", "PostgresStore",
                "PushAPI",
                "PushModel", "PushStore", "SNSProtocol", "SQLStore", "SQLite", "SQLiteStore", "Scheduling",
                "StoreTesting", "Telemetry", "Topics", "Work", "ZeroMQ", .asyncHTTPClient, .crypto, .httpTypes,
                .hummingbird, .hummingbirdTesting, .lifecycle, .logging, .metrics, .nioCore, .nioEmbedded, .nioHTTP1,
                .nioPosix, .nioSSL, .yams,
            ],
            exclude: ["Recorded/answers.json", "Recorded/calls.json"]
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "APNs", "APNsClient", "APNsSimulator", "ApusTesting", "CommandLineSupport", "Delivery", "HTTP2Session",
                "PushAPI", "PushModel", "PushStore", "SNSProtocol", "SQLStore", "SQLite", "Scheduling", "Spawn",
                "StoreTesting", "Telemetry", "Topics", "apus", "apus-bench", .argumentParser, .lifecycle, .logging,
                .nioCore, .nioPosix, .nioSSL,
            ],
            exclude: ["PythonClients/Scripts"]
        ),
    ]
)

// Apps add ApusKit by the URL of this repository. It imports Apple's modules, so on Linux ApusKit/Package.swift builds it, against
// those that stand in for them; APUS_APP_KIT=1 adds it to this package too, for a test (dev/lib/kit_product.py).
#if os(Linux)
let hasAppKit = Context.environment["APUS_APP_KIT"] == "1"
#else
let hasAppKit = true
#endif
if hasAppKit {
    package.products.append(.library(name: "ApusKit", targets: ["ApusKit"]))
    package.targets.append(.target(name: "ApusKit", path: "ApusKit/Sources/ApusKit"))
}

// Targets in C ignore Swift settings. A system library may not have any.
for target in package.targets where target.type != .system { target.swiftSettings = swiftSettings }

// dev/fuzz sets APUS_FUZZ=1 and compiles everything with a fuzzer's instruments; nothing else builds this target.
if Context.environment["APUS_FUZZ"] == "1" {
    package.targets.append(
        .executableTarget(
            name: "Fuzz",
            dependencies: ["APNs", "APNsSimulator", "ApusTesting", "HTTP2Session", .nioCore],
            path: "Fuzz",
            exclude: ["Corpus"],
            // libFuzzer brings the main function.
            swiftSettings: swiftSettings + [.unsafeFlags(["-parse-as-library"])]
        )
    )
}
