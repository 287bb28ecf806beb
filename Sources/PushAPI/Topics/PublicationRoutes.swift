// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import PushModel
import PushStore
import Topics

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Publishes to an app's topics: `/v1/apps/{app}/topics/{topic}/notifications`.
struct PublicationRoutes: APIRoutes {
    let store: any PushStore
    let publisher: TopicPublisher
    let signals: SettlementSignals
    let waiter: SettlementWaiter
    let configuration: PushAPIConfiguration
    let metrics: AcceptanceMetrics
    let now: @Sendable () -> Date

    init(
        store: any PushStore,
        signals: SettlementSignals,
        waiter: SettlementWaiter,
        configuration: PushAPIConfiguration,
        metrics: AcceptanceMetrics,
        now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.publisher = TopicPublisher(store: store, urgentTargetLimit: configuration.urgentTargetLimit)
        self.signals = signals
        self.waiter = waiter
        self.configuration = configuration
        self.metrics = metrics
        self.now = now
    }

    var routes: [APIRoute] {
        [APIRoute(.post, "/v1/apps/{app}/topics/{topic}/notifications", .scopes([.send]), self.publish)]
    }

    private func publish(_ call: APICall) async throws -> Response {
        let waits = try call.waits()
        let name = try call.topic()
        let body = try await call.body(upTo: self.configuration.maximumBodyBytes)
        let request = try PublicationRequest(body, app: try call.app())
        let app = try await self.store.requireApp(call)
        let once = try OnceOnly(call, body: body, store: self.store)
        if let once, let record = try await once.earlier() { return Response(record.answer, isReplayed: true) }
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        var answer: IdempotencyRecord.Answer?
        var listening: (wakes: AsyncStream<Void>, wake: AsyncStream<Void>.Continuation)?
        defer { listening?.wake.finish() }
        let receipt: PublicationReceipt?
        do {
            receipt = try await self.publisher.publish(
                try self.draft(request, to: name, app: app.id, now: now),
                now: now
            ) {
                receipt in
                let made = try Self.answer(receipt, topic: name, app: app.id)
                answer = made
                // Subscribed before it is stored, so that no settlement can go by unseen.
                if waits, case .notification(let notification, _)? = receipt.parts.first {
                    listening = self.signals.subscribe(to: notification.id)
                }
                let id = receipt.notifications.first ?? NotificationID(now: now)
                return once?.record(of: id, answer: made, createdAt: now)
            }
        } catch let error as StoreError where error.code == .conflict {
            // The same request came a second time while this one was on its way.
            guard let once, let record = try await once.earlier() else { throw error }
            return Response(record.answer, isReplayed: true)
        }
        guard let receipt, let answer else { throw Problem.unknownTopic }
        if case .notification(_, let batches)? = receipt.parts.first { self.metrics.count(batches) }
        guard let listening, case .notification(let notification, _)? = receipt.parts.first else {
            return Response(answer)
        }
        let waited = await self.waiter.wait(
            for: notification.id,
            wakes: listening.wakes,
            wake: listening.wake,
            logger: call.context.logger
        ) { standing in
            try await self.settled(standing.status, receipt, topic: name)
        }
        // It is stored: whatever fails from here on, the caller is told that.
        return if case .done(let settled) = waited { Response(settled) } else { Response(answer) }
    }

    private func draft(
        _ request: PublicationRequest,
        to topic: TopicName,
        app: AppID,
        now: Date
    ) throws(Problem) -> PublicationDraft {
        let content: AppContent
        do {
            content = try AppContent(
                app: app,
                headers: request.headers,
                payload: request.payload,
                expiresAt: request.headers.expiresAt(now: now),
                lane: request.lane,
                now: now
            )
        } catch {
            throw Problem(.payloadTooLarge, error.message, faults: [error])
        }
        return PublicationDraft(
            topic: topic,
            app: app,
            attributes: request.attributes,
            body: String(decoding: request.payload.bytes, as: UTF8.self)
        ) { _ in [content] }
    }

    private static func answer(
        _ receipt: PublicationReceipt,
        topic: TopicName,
        app: AppID
    ) throws -> IdempotencyRecord.Answer {
        let location: String? =
            switch receipt.parts.first {
            case .notification(let notification, _)?: "/v1/apps/\(app)/notifications/\(notification.id)"
            case .campaign(let campaign)?: "/v1/apps/\(app)/campaigns/\(campaign.id)"
            case nil: nil
            }
        let status: HTTPResponse.Status = receipt.parts.isEmpty ? .ok : .accepted
        return try IdempotencyRecord.Answer(
            PublicationBody(receipt, topic: topic),
            status: status,
            location: location
        )
    }

    /// The answer to a caller who waited until every device had its outcome.
    private func settled(
        _ status: NotificationStatus,
        _ receipt: PublicationReceipt,
        topic: TopicName
    ) async throws -> IdempotencyRecord.Answer {
        let failures = try await self.store.failures(
            of: status.notification.id,
            after: nil,
            limit: PageRequest.defaultLimit
        )
        var body = PublicationBody(receipt, topic: topic)
        var notification = NotificationBody(status)
        notification.failures = failures.elements.map { OutcomeBody($0, in: status) }
        notification.next = failures.next?.description
        body.notification = notification
        return try IdempotencyRecord.Answer(body, status: .ok)
    }
}
