// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
import HTTPTypes
import Hummingbird
package import Logging
package import Metrics
import PushModel
package import PushStore
import ServiceLifecycle
import Synchronization

/// The probes and metrics of a worker process without the API: `/healthz`, `/readyz`, `/metrics`.
package struct ProbeServer: Service {
    private let listener: HTTPListener

    /// Creates the server, which calls `onListening` with its port when it serves requests.
    ///
    /// It ignores the settings of the configuration that concern only the API.
    package init(
        store: any APIKeyStore & AppStore & StoreHealth,
        configuration: PushAPIConfiguration,
        tls: TLSCertificates? = nil,
        metrics: any MetricsFactory = MetricsSystem.factory,
        metricsText: @escaping @Sendable () -> String,
        logger: Logger,
        now: @escaping @Sendable () -> Date = { Date() },
        onListening: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
    ) {
        let routes = ProbeRoutes(
            readiness: ReadinessProbe(store: store, now: now),
            metrics: metricsText,
            metricsAreUnauthenticated: configuration.metricsAreUnauthenticated
        )
        let uses = KeyUses(store: store, logger: logger)
        let ids = KeyIDRecognizer(store: store, masterKey: nil, logger: logger)
        self.listener = HTTPListener(
            table: routes.routes,
            verifier: APIKeyAuthenticator(
                store: store,
                uses: uses,
                ids: ids,
                lifetime: configuration.keyLifetime,
                now: now
            ),
            apps: CachedLookup(lifetime: configuration.keyLifetime, now: now) { try await store.app($0) },
            configuration: configuration,
            tls: tls,
            services: [uses, ids],
            metrics: metrics,
            logger: logger,
            onListening: onListening
        )
    }

    /// Serves requests until the surrounding `ServiceGroup` stops it.
    ///
    /// - Throws: ``PushAPIError`` `.addressInUse`, `.addressUnavailable` when it cannot listen.
    package func run() async throws {
        try await self.listener.run()
    }
}

/// Liveness, readiness and metrics routes.
struct ProbeRoutes: APIRoutes {
    let readiness: ReadinessProbe

    /// Returns the metrics of this process as text; `nil` if the process has no metrics.
    let metrics: (@Sendable () -> String)?

    /// Whether the metrics are served without a key.
    let metricsAreUnauthenticated: Bool

    var routes: [APIRoute] {
        [
            APIRoute(.get, "/healthz", .anyone, self.alive).onEventLoop,
            APIRoute(.get, "/readyz", .anyone, self.ready),
            APIRoute(.get, "/metrics", self.metricsAreUnauthenticated ? .anyone : .scopes([.read]), self.exposition),
        ]
    }

    private func alive(_ call: AuthorizedRequest) async throws -> Response {
        try .json(["status": "ok"])
    }

    private func ready(_ call: AuthorizedRequest) async throws -> Response {
        try await self.readiness.check()
        return try .json(["status": "ready"])
    }

    private func exposition(_ call: AuthorizedRequest) async throws -> Response {
        guard let metrics = self.metrics else {
            throw Problem(.routeNotFound, "This server keeps no metrics.")
        }
        return .text(metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
    }
}

/// Checks that the store can be read and written, at most once per second.
final class ReadinessProbe: Sendable {
    /// The number of seconds for which a result is valid.
    private static let lifetime: TimeInterval = 1

    /// The number of seconds without a result after which the store counts as unavailable.
    private static let patience: TimeInterval = 10

    private enum Answer {
        case ready
        case failed(any Error)
    }

    private struct State {
        var answer: Answer?
        var answeredAt = Date.distantPast
        var askedAt: Date?
    }

    private enum Step {
        case ask
        case say(Answer)
        case giveUp
    }

    private let store: any AppStore & StoreHealth
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(store: any AppStore & StoreHealth, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.now = now
    }

    /// Returns if the store can be read and written.
    ///
    /// While a check runs, other calls use the last result. If a check hangs, for example on a network file system, no
    /// further check starts, so that requests do not accumulate.
    /// - Throws: the error of the store; ``Problem`` `.storeUnavailable` if there was no result for 10 seconds.
    func check() async throws {
        switch self.step() {
        case .say(.ready): return
        case .say(.failed(let error)): throw error
        case .giveUp:
            // Cannot trap: the patience is a constant.
            throw Problem(.storeUnavailable, "The store did not respond for \(Int(Self.patience)) seconds.")
        case .ask:
            do {
                _ = try await self.store.apps(after: nil, limit: 1)
                try await self.store.checkWritable()
                self.answered(.ready)
            } catch {
                self.answered(.failed(error))
                throw error
            }
        }
    }

    private func step() -> Step {
        let now = self.now()
        return self.state.withLock { state in
            if let askedAt = state.askedAt {
                guard (0..<Self.patience).contains(now.timeIntervalSince(askedAt)) else { return .giveUp }
                return state.answer.map(Step.say) ?? .ask
            }
            if let answer = state.answer, (0..<Self.lifetime).contains(now.timeIntervalSince(state.answeredAt)) {
                return .say(answer)
            }
            state.askedAt = now
            return .ask
        }
    }

    private func answered(_ answer: Answer) {
        let now = self.now()
        self.state.withLock { state in
            state.answer = answer
            state.answeredAt = now
            state.askedAt = nil
        }
    }
}
