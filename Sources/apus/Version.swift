// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CBuildInfo
import CommandLineSupport
import Logging

/// The version of Apus, by the rules of semver.org.
///
/// This line is the only place with the number: `apus --version`, the log, the metrics and packages read it. The commit
/// comes from the environment variable `APUS_COMMIT` of the build, which Package.swift passes to the target
/// `CBuildInfo`:
///
///     APUS_COMMIT=$(git rev-parse HEAD) swift build -c release
///
/// Without the variable, the commit is `unknown`. Another value compiles `CBuildInfo` and `apus` again and nothing
/// else.
let apusVersion = "0.9.0"

/// The build of this program.
enum BuildInfo {
    /// The commit of the sources, in hexadecimal; `unknown` if the build did not set it.
    static let commit = String(cString: apus_commit())

    /// The version of Swift that the program runs on, as `6.3`: the runtime does not know the patch release.
    static let swift = "\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2).joined(separator: ".")

    #if DEBUG
    static let mode = "debug"
    #else
    static let mode = "release"
    #endif

    #if os(Linux)
    static let system = "linux"
    #else
    static let system = "macos"
    #endif

    #if arch(arm64)
    static let processor = "arm64"
    #else
    static let processor = "x86_64"
    #endif

    /// The labels of the metric `apus_build_info`.
    static let labels = [
        ("version", apusVersion), ("commit", commit), ("mode", mode), ("system", system), ("processor", processor),
    ]

    /// The line of `apus --version`.
    static var line: String {
        let schema = "SQLite \(ServerStore.schema.sqlite), PostgreSQL \(ServerStore.schema.postgresql)"
        return "apus \(apusVersion) (commit \(self.commit), schema \(schema), Swift \(self.swift))"
    }

    /// Logs the start of a server process.
    static func logStart(of role: String, to logger: Logger) {
        logger.info(
            "Starting",
            metadata: [
                "role": "\(role)", "version": "\(apusVersion)", "commit": "\(self.commit)", "swift": "\(self.swift)",
                "schema.sqlite": "\(ServerStore.schema.sqlite)",
                "schema.postgresql": "\(ServerStore.schema.postgresql)",
            ]
        )
    }
}

/// The result of `apus --version --json`.
struct VersionReport: Codable {
    var version = apusVersion
    var commit = BuildInfo.commit
    var schema = ServerStore.schema
    var swift = BuildInfo.swift

    /// Whether these arguments request it; the parser of the command line supports only a text as version.
    static func isRequested(by arguments: some Sequence<String>) -> Bool {
        Array(arguments).sorted() == ["--json", "--version"]
    }
}
