// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Telemetry

/// The registry of the server's process.
enum ServerMetrics {
    /// Creates a registry with the catalogue and the metrics of the process.
    static func registry(startedAt: Date = Date()) -> MetricsRegistry {
        var configuration = MetricsRegistryConfiguration()
        configuration.descriptions = MetricCatalogue.all
        let registry = MetricsRegistry(configuration: configuration)
        ProcessMetrics.add(to: registry, startedAt: startedAt)
        registry.set("apus_build_info", BuildInfo.labels, to: 1)
        return registry
    }
}
