// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import NIOCore
import PushModel

/// What belongs to the server and not to an app: probes, the API's own document, the catalogue of problems.
struct HealthRoutes: APIRoutes {
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
            APIRoute(.get, "/openapi.yaml", .anyone, self.document),
            APIRoute(.get, "/problems/{code}", .anyone, self.problem),
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
        return Self.text(metrics(), type: "text/plain; version=0.0.4; charset=utf-8")
    }

    private func document(_ call: APICall) async throws -> Response {
        Self.text(OpenAPIDocument.yaml, type: "application/yaml")
    }

    private func problem(_ call: APICall) async throws -> Response {
        guard let code = call.parameter("code").flatMap(ProblemCode.init(rawValue:)) else {
            throw Problem(.routeNotFound, "The catalogue has no such problem.")
        }
        return Self.text(ProblemCatalogue.section(code), type: "text/markdown; charset=utf-8")
    }

    private static func text(_ text: String, type: String) -> Response {
        Response(status: .ok, headers: [.contentType: type], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
