// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
public import PushStore
public import ServiceLifecycle

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The probes and the metrics of a process that works on the store and serves no API: `/healthz`, `/readyz`, `/metrics`.
public struct ProbeServer: Service {
    private let listener: RouteListener

    /// Builds the server.
    ///
    /// - Parameters:
    ///   - store: whose readiness is that of the process; holds the keys that `/metrics` may ask for.
    ///   - configuration: where it listens, and whether the metrics are public; the rest concerns the API.
    ///   - metricsText: writes the metrics of this process.
    ///   - logger: where failures are written.
    ///   - now: the time of day, for keys that end.
    ///   - onListening: is called with the bound port once requests are served.
    public init(
        store: any PushStore,
        configuration: PushAPIConfiguration,
        metricsText: @escaping @Sendable () -> String,
        logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() },
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        let routes = ProbeRoutes(
            readiness: Readiness(store: store, now: now),
            metrics: metricsText,
            metricsArePublic: configuration.metricsArePublic
        )
        self.listener = RouteListener(
            table: routes.routes,
            verifier: KeyVerifier(store: store, lifetime: configuration.keyLifetime, now: now),
            configuration: configuration,
            services: [],
            logger: logger,
            onListening: onListening
        )
    }

    /// Serves requests until the surrounding `ServiceGroup` stops it.
    ///
    /// - Throws: ``PushAPIError`` `.addressInUse`, `.addressUnavailable` when it cannot listen.
    public func run() async throws {
        try await self.listener.run()
    }
}
