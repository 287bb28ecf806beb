// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The settings of a process, from its environment.
package struct Settings: Sendable {
    /// The bundle ID of the app.
    package let app: String

    /// The SQLite file of the backend.
    package let database: String

    /// The base URL of Apus, and an API key with the scope `activities`.
    package let apusServer: String
    package let apusKey: String

    /// The control API of the simulator whose clock the process uses; `nil` in production.
    package let clockSimulator: String?

    private let environment: [String: String]

    /// Reads the environment.
    ///
    /// - Throws: ``MissingSetting``.
    package init(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        self.environment = environment
        self.app = try Self.require("IVENT_APP", environment)
        self.database = try Self.require("IVENT_DATABASE", environment)
        self.apusServer = try Self.require("APUS_URL", environment)
        self.apusKey = try Self.require("APUS_API_KEY", environment)
        self.clockSimulator = environment["IVENT_CLOCK_SIMULATOR"]
    }

    /// A setting that only one of the processes has.
    package func require(_ name: String) throws -> String { try Self.require(name, self.environment) }

    private static func require(_ name: String, _ environment: [String: String]) throws -> String {
        guard let value = environment[name], !value.isEmpty else { throw MissingSetting(name: name) }
        return value
    }
}

/// An environment variable that is not set.
package struct MissingSetting: Error, CustomStringConvertible {
    let name: String
    package var description: String { "\(self.name) is not set; Examples/ivent/README.md lists the settings." }
}
