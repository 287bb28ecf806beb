// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Logging
import PushAPI
import PushModel
import Testing

@Suite("Scopes", .timeLimit(.minutes(20)))
struct ScopeTests {
    /// What each route asks for, written down once more by hand.
    static let table: [(route: String, scopes: Set<Scope>)] = [
        ("GET /metrics", [.admin, .read]),
        ("POST /v1/apps", [.admin]),
        ("GET /v1/apps", [.admin, .read]),
        ("GET /v1/apps/{app}", [.admin, .read]),
        ("PATCH /v1/apps/{app}", [.admin]),
        ("DELETE /v1/apps/{app}", [.admin]),
        ("POST /v1/apps/{app}/credentials", [.admin]),
        ("GET /v1/apps/{app}/credentials", [.admin]),
        ("DELETE /v1/apps/{app}/credentials/{credential}", [.admin]),
        ("POST /v1/keys", [.admin]),
        ("GET /v1/keys", [.admin]),
        ("DELETE /v1/keys/{key}", [.admin]),
        ("POST /v1/keys/{key}:rotate", [.admin]),
        ("GET /v1/audit-log", [.admin]),
        ("GET /v1/quarantine", [.admin, .read]),
        ("DELETE /v1/quarantine/{number}", [.admin]),
        ("POST /v1/quarantine/{number}:repeat", [.admin]),
        ("GET /v1/apps/{app}/devices", [.admin, .devices, .read]),
        ("POST /v1/apps/{app}/devices:search", [.admin, .devices, .read]),
        ("POST /v1/apps/{app}/devices:import", [.admin, .devices]),
        ("GET /v1/apps/{app}/devices:export", [.admin, .devices, .read]),
        ("PUT /v1/apps/{app}/devices/{device}", [.admin, .devices, .client]),
        ("GET /v1/apps/{app}/devices/{device}", [.admin, .devices, .read]),
        ("DELETE /v1/apps/{app}/devices/{device}", [.admin, .devices, .client]),
        ("DELETE /v1/apps/{app}/devices/{device}/secret", [.admin, .devices]),
        ("GET /v1/apps/{app}/devices/{device}/challenge", [.admin, .devices, .client]),
        ("POST /v1/apps/{app}/notifications", [.admin, .send]),
        ("POST /v1/apps/{app}/notifications:batch", [.admin, .send]),
        ("POST /v1/apps/{app}/notifications:stream", [.admin, .send]),
        ("GET /v1/apps/{app}/notifications/{notification}", [.admin, .send, .read]),
        ("GET /v1/apps/{app}/notifications/{notification}/failures", [.admin, .send, .read]),
        ("POST /v1/apps/{app}/notifications/{notification}:resend", [.admin, .send]),
        ("GET /v1/apps/{app}/delivery", [.admin, .read]),
        ("GET /v1/apps/{app}/notifications/by-apns-id/{apns-id}", [.admin, .send, .read]),
        ("POST /v1/apps/{app}/campaigns", [.admin, .campaigns]),
        ("GET /v1/apps/{app}/campaigns", [.admin, .campaigns, .read]),
        ("POST /v1/apps/{app}/campaigns:estimate", [.admin, .campaigns, .read]),
        ("GET /v1/apps/{app}/campaigns/{campaign}", [.admin, .campaigns, .read]),
        ("GET /v1/apps/{app}/campaigns/{campaign}/progress", [.admin, .campaigns, .read]),
        ("POST /v1/apps/{app}/campaigns/{campaign}:pause", [.admin, .campaigns]),
        ("POST /v1/apps/{app}/campaigns/{campaign}:resume", [.admin, .campaigns]),
        ("POST /v1/apps/{app}/campaigns/{campaign}:cancel", [.admin, .campaigns]),
        ("POST /v1/apps/{app}/campaigns/{campaign}:test", [.admin, .campaigns]),
        ("GET /v1/apps/{app}/events", [.admin, .read]),
        ("POST /v1/apps/{app}/webhooks", [.admin]),
        ("GET /v1/apps/{app}/webhooks", [.admin]),
        ("GET /v1/apps/{app}/webhooks/{webhook}", [.admin]),
        ("PATCH /v1/apps/{app}/webhooks/{webhook}", [.admin]),
        ("DELETE /v1/apps/{app}/webhooks/{webhook}", [.admin]),
        ("POST /v1/apps/{app}/webhooks/{webhook}:test", [.admin]),
        ("POST /v1/apps/{app}/webhooks/{webhook}:enable", [.admin]),
        ("GET /v1/apps/{app}/webhooks/{webhook}/deliveries", [.admin]),
        ("POST /v1/apps/{app}/token-validations", [.admin, .campaigns]),
        ("GET /v1/apps/{app}/token-validations", [.admin, .campaigns, .read]),
        ("GET /v1/apps/{app}/token-validations/{validation}", [.admin, .campaigns, .read]),
        ("POST /v1/apps/{app}/token-validations/{validation}:pause", [.admin, .campaigns]),
        ("POST /v1/apps/{app}/token-validations/{validation}:resume", [.admin, .campaigns]),
        ("POST /v1/apps/{app}/token-validations/{validation}:cancel", [.admin, .campaigns]),
        ("POST /v1/apps/{app}/activities", [.admin, .activities]),
        ("GET /v1/apps/{app}/activities", [.admin, .activities, .read]),
        ("POST /v1/apps/{app}/activities:batchUpdate", [.admin, .activities]),
        ("GET /v1/apps/{app}/activities/{activity}", [.admin, .activities, .read]),
        ("PATCH /v1/apps/{app}/activities/{activity}", [.admin, .activities]),
        ("POST /v1/apps/{app}/activities/{activity}:start", [.admin, .activities]),
        ("GET /v1/apps/{app}/activities/{activity}/participants", [.admin, .activities, .read]),
        ("POST /v1/apps/{app}/activities/{activity}/participants", [.admin, .activities]),
        ("GET /v1/apps/{app}/activities/{activity}/timeline", [.admin, .activities, .read]),
        ("GET /v1/apps/{app}/jobs", [.admin, .campaigns, .activities, .read]),
        ("GET /v1/apps/{app}/jobs/{job}", [.admin, .campaigns, .activities, .read]),
        ("GET /v1/apps/{app}/jobs/{job}/runs", [.admin, .campaigns, .activities, .read]),
        ("PUT /v1/apps/{app}/jobs/{job}", [.admin, .campaigns, .activities]),
        ("DELETE /v1/apps/{app}/jobs/{job}", [.admin, .campaigns, .activities]),
        ("POST /v1/apps/{app}/jobs/{job}:run", [.admin, .campaigns, .activities]),
        ("POST /v1/apps/{app}/jobs/{job}:pause", [.admin, .campaigns, .activities]),
        ("POST /v1/apps/{app}/jobs/{job}:resume", [.admin, .campaigns, .activities]),
        ("GET /v1/apps/{app}/activity-types", [.admin, .activities, .read]),
        ("PUT /v1/apps/{app}/activity-types/{attributesType}", [.admin, .activities]),
        ("GET /v1/apps/{app}/activity-types/{attributesType}", [.admin, .activities, .read]),
        ("DELETE /v1/apps/{app}/activity-types/{attributesType}", [.admin, .activities]),
        ("GET /v1/apps/{app}/topics", [.admin, .devices, .send, .read]),
        ("PUT /v1/apps/{app}/topics/{topic}", [.admin, .devices]),
        ("GET /v1/apps/{app}/topics/{topic}", [.admin, .devices, .send, .read]),
        ("DELETE /v1/apps/{app}/topics/{topic}", [.admin, .devices]),
        ("GET /v1/apps/{app}/topics/{topic}/subscriptions", [.admin, .devices, .send, .read]),
        ("POST /v1/apps/{app}/topics/{topic}/subscriptions", [.admin, .devices]),
        ("POST /v1/apps/{app}/topics/{topic}/notifications", [.admin, .send]),
        ("GET /v1/apps/{app}/subscriptions", [.admin, .devices, .send, .read]),
        ("GET /v1/apps/{app}/subscriptions/{subscription}", [.admin, .devices, .send, .read]),
        ("DELETE /v1/apps/{app}/subscriptions/{subscription}", [.admin, .devices]),
        ("POST /v1/apps/{app}/channels", [.admin, .activities]),
        ("GET /v1/apps/{app}/channels", [.admin, .activities, .read]),
        ("GET /v1/apps/{app}/channels/{channel}", [.admin, .activities, .read]),
        ("DELETE /v1/apps/{app}/channels/{channel}", [.admin, .activities]),
        ("PUT /v1/apps/{app}/activities/{activity}/tokens/{device}", [.admin, .activities, .client]),
        ("DELETE /v1/apps/{app}/activities/{activity}/tokens/{device}", [.admin, .activities, .client]),
        (
            "PUT /v1/apps/{app}/devices/{device}/start-tokens/{attributesType}",
            [.admin, .activities, .devices, .client]
        ),
        ("GET /v1/apps/{app}/activities/{activity}/transitions", [.admin, .activities, .read]),
        ("PUT /v1/apps/{app}/activities/{activity}/transitions/{transition}", [.admin, .activities]),
        ("DELETE /v1/apps/{app}/activities/{activity}/transitions/{transition}", [.admin, .activities]),
    ]

    @Test("every route opens to the scopes of the table and to no others")
    func opens() async throws {
        try await withAPI { api async throws in
            var keys: [Scope: String] = [:]
            for scope in Scope.allCases { keys[scope] = try await api.key(scopes: [scope]).text }
            for (route, scopes) in Self.table {
                let parts = route.split(separator: " ")
                let method = try #require(HTTPRequest.Method(String(parts[0])))
                let path = parts[1].split(separator: "/").map(Self.example).joined(separator: "/")
                    .replacing("{app}", with: "no.such.app")
                for (scope, key) in keys {
                    let answer = try await api.call(method, "/\(path)", method == .get ? nil : "{}", key: key)
                    if scopes.contains(scope) {
                        #expect(answer.status != 401 && answer.status != 403, "\(route) with \(scope)")
                    } else {
                        #expect(answer.status == 403, "\(route) with \(scope)")
                        #expect(answer.code == "insufficient_scope")
                    }
                }
            }
        }
    }

    /// A segment of a path with an example in the place of its parameter.
    private static func example(_ segment: Substring) -> Substring {
        guard segment.hasPrefix("{"), segment != "{app}", let end = segment.firstIndex(of: "}") else { return segment }
        return "x" + segment[segment.index(after: end)...]
    }

    @Test("the table has every route that asks for a key")
    func complete() async throws {
        try await withTemporaryStore { store in
            let api = PushAPI(store: store, inspector: TestInspector(), logger: Logger(label: "test"))
            let routes = api.routes.filter { $0.scopes != nil }.map(\.description)
            #expect(Set(routes) == Set(Self.table.map(\.route)))
        }
    }
}
