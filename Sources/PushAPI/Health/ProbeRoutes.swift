// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import PushModel

/// What those ask who watch over a process: whether it lives, whether it can work, and what it counts.
struct ProbeRoutes: APIRoutes {
    let readiness: Readiness

    /// Writes the metrics of this process; `nil` where nobody keeps any.
    let metrics: (@Sendable () -> String)?

    /// Whether they are served without a key.
    let metricsArePublic: Bool

    var routes: [APIRoute] {
        [
            APIRoute(.get, "/healthz", .anyone, self.alive),
            APIRoute(.get, "/readyz", .anyone, self.ready),
            APIRoute(.get, "/metrics", self.metricsArePublic ? .anyone : .scopes([.read]), self.exposition),
        ]
    }

    private func alive(_ call: APICall) async throws -> Response {
        try .json(["status": "ok"])
    }

    private func ready(_ call: APICall) async throws -> Response {
        try await self.readiness.check()
        return try .json(["status": "ready"])
    }

    private func exposition(_ call: APICall) async throws -> Response {
        guard let metrics = self.metrics else {
            throw Problem(.routeNotFound, "This server keeps no metrics.")
        }
        return .text(metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
    }
}
