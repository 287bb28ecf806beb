// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import Logging
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Many notifications on one long request: `/v1/apps/{app}/notifications:stream`.
struct StreamRoutes: APIRoutes {
    let store: any PushStore
    let signals: BatchSignals
    let slots: StreamSlots
    let configuration: PushAPIConfiguration
    let metrics: AcceptanceMetrics
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        [APIRoute(.post, "/v1/apps/{app}/notifications:stream", .scopes([.send]), self.open)]
    }

    private func open(_ call: APICall) async throws -> Response {
        let request = try StreamRequest(try call.query(StreamRequest.parameters))
        try call.checkMediaType(MediaType.ndjson)
        try call.refuseIdempotencyKey(insteadOf: "none; name the stream by 'stream'")
        let app = try await self.store.requireApp(call)
        var accepted = 0
        if let stream = request.stream {
            accepted = try await self.store.acceptedLines(of: stream, app: app.id)
            try request.check(accepted: accepted)
        }
        let session = StreamSession(
            slot: try self.slots.take(),
            app: app,
            request: request,
            accepted: accepted,
            store: self.store,
            signals: self.signals,
            limits: self.configuration.stream,
            metrics: self.metrics,
            refusal: call.refusal,
            recheckInterval: self.configuration.recheckInterval,
            clock: self.clock,
            now: self.now,
            logger: call.context.logger
        )
        await call.inviteBody()
        let body = call.request.body
        return Response(
            status: .ok,
            headers: [.contentType: MediaType.ndjson],
            body: ResponseBody { writer in try await session.run(body, &writer) }
        )
    }
}
