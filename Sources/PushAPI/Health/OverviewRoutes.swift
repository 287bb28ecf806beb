// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird

/// `GET /`, which names the program and links to the OpenAPI document and the probes, or redirects browsers to the console.
struct OverviewRoutes: APIRoutes {
    /// The version of the program; `nil` if unknown.
    let version: String?

    /// Decides who may use the console; `nil` if it is not served.
    let console: ConsoleAccess?

    /// Handles requests of SNS; `nil` if the SNS endpoint is not at `/`.
    let sns: (@Sendable (AuthorizedRequest) async throws -> Response)?

    var routes: [APIRoute] { [APIRoute(.get, "/", .anyone, self.show)] }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        let parameters = (call.request.uri.query ?? "").split(separator: "&")
        // Links in messages to HTTP subscriptions, and presigned requests, have an action.
        if let sns = self.sns, parameters.contains(where: { $0.hasPrefix("Action=") }) { return try await sns(call) }
        _ = try call.query()
        let acceptsPages = call.request.headers[.accept]?.contains("text/html") == true
        if acceptsPages, self.console?.isServed(to: call.request) == true {
            return Response(status: .seeOther, headers: [.location: "/console"])
        }
        return try .json(OverviewResponse(version: self.version))
    }
}

/// The program and its paths, as returned by the API.
struct OverviewResponse: Encodable {
    let name = "Apus"
    let version: String?
    let documentation = "/openapi.yaml"
    let health = "/healthz"
    let readiness = "/readyz"
}
