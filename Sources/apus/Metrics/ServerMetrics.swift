// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Telemetry

/// The registry of the server's process.
enum ServerMetrics {
    /// A registry that knows the catalogue, and tells of the process itself.
    static func registry(startedAt: Date = Date()) -> MetricsRegistry {
        var configuration = MetricsRegistryConfiguration()
        configuration.descriptions = MetricCatalogue.all
        let registry = MetricsRegistry(configuration: configuration)
        ProcessMetrics.add(to: registry, startedAt: startedAt)
        registry.set("apus_build_info", BuildInfo.labels, to: 1)
        return registry
    }
}

/// What this program was built from, as far as it knows.
enum BuildInfo {
    /// The version; `development` for whatever is not a release.
    static let version = "development"

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

    static let labels = [
        ("version", version), ("mode", mode), ("system", system), ("processor", processor),
    ]
}
