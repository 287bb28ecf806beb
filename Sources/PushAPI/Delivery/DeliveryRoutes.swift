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

/// How the delivery of an app stands: `/v1/apps/{app}/delivery`.
struct DeliveryRoutes: APIRoutes {
    let store: any PushStore

    /// Knows the delivery in this process; `nil` where there is none.
    let inspector: (any DeliveryInspector)?
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        [APIRoute(.get, "/v1/apps/{app}/delivery", .scopes([.read]), self.show)]
    }

    private func show(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let app = try await self.store.requireApp(call)
        let open = try await self.store.openBatches(of: app.id)
        let now = self.now()
        let pauses = try await self.store.pauses(of: app.id, now: now)
        return try .json(
            DeliveryBody(
                app: app.id.rawValue,
                delivers: self.inspector != nil,
                lines: self.inspector?.lines(of: app.id).map { DeliveryLineBody($0, open, now: now) } ?? [],
                pauses: pauses.map { DeliveryPauseBody($0, open, now: now) },
                waiting: WaitingBody.all(open, now: now)
            )
        )
    }
}
