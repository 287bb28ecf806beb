// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What apps tell by themselves: the tokens by which activities are started and changed on a phone.
struct ActivityTokenRoutes: APIRoutes {
    let store: any PushStore
    let bodyLimit: Int
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        [
            APIRoute(
                .put,
                "/v1/apps/{app}/activities/{activity}/tokens/{installation}",
                .scopes([.activities, .client]),
                self.tell
            ),
            APIRoute(
                .put,
                "/v1/apps/{app}/devices/{installation}/start-tokens/{attributesType}",
                .scopes([.activities, .devices, .client]),
                self.keepStartToken
            ),
        ]
    }

    private func tell(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let installation = try call.installation()
        let request = try ActivityTokenRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await self.store.requireApp(call)
        let id = try call.activity()
        let now = self.now()
        let upload = ActivityTokenUpload(
            installation: installation,
            token: request.token,
            environment: request.environment ?? app.defaultEnvironment,
            issuedAt: request.issuedAt,
            frequentUpdates: request.frequentUpdates
        )
        let receipt = try await self.store.receive(
            upload,
            for: id,
            of: app.id,
            creating: try request.draft.activity(id, of: app.id, now: now),
            now: now
        )
        guard let receipt else { throw Problem.unknownActivity }
        return try .json(ActivityReceiptBody(receipt, of: id))
    }

    private func keepStartToken(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let installation = try call.installation()
        guard let type = call.parameter("attributesType").flatMap(AttributesType.init(rawValue:)) else {
            throw Problem(
                .invalidRequest,
                at: .parameter("attributesType"),
                expected: AttributesType.rule,
                got: "another text"
            )
        }
        let request = try StartTokenRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await self.store.requireApp(call)
        try await self.store.keep(
            PushToStartToken(
                app: app.id,
                installation: installation,
                attributesType: type,
                token: request.token,
                environment: request.environment ?? app.defaultEnvironment,
                issuedAt: request.issuedAt ?? self.now()
            )
        )
        return Response(status: .noContent)
    }
}
