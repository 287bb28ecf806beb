// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore
import Work

/// The operations on notifications: `/v1/apps/{app}/notifications`.
struct NotificationRoutes: APIRoutes {
    let store: any AppStore & DeviceStore & SendRequestHandler.Store
    let signals: ChangeHub<NotificationID>
    let waiter: SettlementWaiter
    let reader: NotificationReader
    let configuration: PushAPIConfiguration
    let metrics: AcceptanceMetrics
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/notifications"
        return [
            APIRoute(.post, list, .scopes([.send]), self.send).onEventLoop,
            APIRoute(.post, "\(list):batch", .scopes([.send]), self.sendBatch),
            APIRoute(.get, "\(list)/{notification}", .scopes([.send, .read]), self.show),
            APIRoute(.get, "\(list)/by-apns-id/{apns-id}", .scopes([.send, .read]), self.outcome).onEventLoop,
        ]
    }

    private func send(_ call: AuthorizedRequest) async throws -> Response {
        let waits = try call.waits()
        let body = try await call.body(upTo: self.configuration.maximumNotificationBodyBytes)
        let request = try NotificationRequest(body, app: try call.app())
        let app = try await call.requireApp()
        let sending = self.sending(waits: waits)
        // A user may have many devices.
        let executor: (any TaskExecutor)? = if case .users = request.targets { globalConcurrentExecutor } else { nil }
        return try await withTaskExecutorPreference(executor) {
            try await sending.once(call, body: body) {
                let recipients = try await RecipientResolver(store: self.store).recipients(
                    of: request.targets,
                    app: app
                )
                let plan = try self.plan(request, recipients: recipients, app: app)
                return SendRequestHandler.Work(plan: plan) { status in
                    var body = NotificationResponse(status)
                    body.skipped = SkippedResponse(recipients)
                    return body
                } settled: { standing in
                    try await self.settled(standing, plan: plan, recipients: recipients)
                }
            }
        }
    }

    private func sending(waits: Bool) -> SendRequestHandler {
        SendRequestHandler(
            store: self.store,
            signals: self.signals,
            waiter: self.waiter,
            metrics: self.metrics,
            waits: waits
        )
    }

    private func sendBatch(_ call: AuthorizedRequest) async throws -> Response {
        let waits = try call.waits()
        let body = try await call.body(upTo: self.configuration.maximumBatchBodyBytes)
        let app = try await call.requireApp()
        let request = try BatchRequest(body, app: app)
        let sending = self.sending(waits: waits)
        return try await sending.once(call, body: body) {
            let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
            let lane = request.lane ?? self.lane(targets: request.places.count)
            let plan = BatchedNotification(app: app.id, parts: request.groups.parts(lane: lane, now: now), now: now)
            let ids = request.apnsIDs(plan)
            return SendRequestHandler.Work(plan: plan) { status in
                var body = NotificationResponse(status)
                body.apnsIDs = ids
                return body
            } settled: { standing in
                var body = NotificationResponse(standing.status)
                body.outcomes = request.outcomes(plan, try await self.outcomes(standing, plan: plan))
                body.apnsIDs = ids
                return body
            }
        }
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { APNsID(canonical: $0) }
        let status: NotificationStatus
        do {
            status = try await self.reader.status(call)
        } catch let problem as Problem where problem.code == .notificationNotFound {
            // It may be that of one target: the ids of both are of one kind, and none is both.
            return try await self.outcome(of: call.parameter("notification"), call)
        }
        let failures = try await self.store.failures(of: status.notification.id, after: cursor, limit: page.limit)
        var body = NotificationResponse(status)
        body.list(failures, in: status)
        return .json(body)
    }

    private func outcome(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        return try await self.outcome(of: call.parameter("apns-id"), call)
    }

    private func outcome(of apnsID: String?, _ call: AuthorizedRequest) async throws -> Response {
        guard let id = apnsID.flatMap({ APNsID(canonical: $0) }),
            let outcome = try await self.reader.outcome(of: id)
        else { throw Problem.unknownNotification }
        let status = try await self.reader.status(of: outcome.notification, call)
        return .json(OutcomeWithNotificationResponse(outcome, in: status))
    }

    private func plan(
        _ request: NotificationRequest,
        recipients: Recipients,
        app: App
    ) throws(Problem) -> BatchedNotification {
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        do {
            return try BatchedNotification(
                app: app.id,
                lane: request.lane ?? self.lane(targets: recipients.elements.count),
                headers: request.headers,
                payload: request.payload,
                targets: recipients.elements.map(\.target),
                expiresAt: request.headers.expiresAt(now: now),
                now: now
            )
        } catch {
            throw Problem(.invalidRequest, error.message, faults: [error])
        }
    }

    /// The queue of a request whose caller leaves that to the server.
    private func lane(targets count: Int) -> Lane {
        count <= self.configuration.urgentTargetLimit ? .urgent : .bulk
    }

    /// The answer to a caller who waited for it: every outcome of a small notification, the first failures of others.
    private func settled(
        _ standing: SettlementWaiter.Standing,
        plan: BatchedNotification,
        recipients: Recipients
    ) async throws -> NotificationResponse {
        let status = standing.status
        var body = NotificationResponse(status)
        body.skipped = SkippedResponse(recipients)
        let isSmall = plan.isSmall
        let limit = isSmall ? PageRequest.limits.upperBound : PageRequest.defaultLimit
        let failures: Page<TargetOutcome, APNsID>
        if let announcement = standing.announcement {
            failures = Page(elements: announcement.failures, next: nil)
        } else {
            failures = try await self.store.firstFailures(of: status, limit: limit)
        }
        if isSmall {
            body.outcomes = plan.outcomes(status, failures: failures.elements, recipients: recipients)
        } else {
            body.list(failures, in: status)
        }
        return body
    }

    /// Returns the outcomes of the targets of each batch.
    private func outcomes(
        _ standing: SettlementWaiter.Standing,
        plan: BatchedNotification
    ) async throws -> [BatchID: BatchOutcomes] {
        if let announcement = standing.announcement { return [announcement.batch.id: announcement.outcomes] }
        return try await self.store.outcomes(of: plan.batches.map(\.id))
    }
}

extension Problem {
    static var unknownNotification: Problem {
        Problem(.notificationNotFound, "The app has no notification of the id in the path.")
    }
}
