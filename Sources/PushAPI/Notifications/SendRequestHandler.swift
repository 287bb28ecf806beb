// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import Logging
import Metrics
import PushModel
import PushStore
import Synchronization
import Work

/// Executes a send request: idempotently, and stored durably before the response.
///
/// With `wait=true`, the response waits until all outcomes are known or the timeout passes.
struct SendRequestHandler: Sendable {
    typealias Store = IdempotencyStore & NotificationStore

    let store: any Store
    let signals: ChangeHub<NotificationID>
    let waiter: SettlementWaiter
    let metrics: AcceptanceMetrics

    /// Whether the caller waits for the outcomes.
    let waits: Bool

    /// The notification to send, and the responses to its caller.
    struct Work {
        let plan: BatchedNotification

        /// Creates the response while targets have no outcome.
        let accepted: (NotificationStatus) -> NotificationResponse

        /// Creates the response when every target has its outcome.
        let settled: (SettlementWaiter.Standing) async throws -> NotificationResponse
    }

    /// Executes a request, or replays the stored response of an earlier execution.
    ///
    /// - Returns: 202 when the request is stored, or 200 when it waited until every target had its outcome.
    /// - Throws: ``Problem``, and what the store and `work` throw.
    func once(_ call: AuthorizedRequest, body: [UInt8], _ work: () async throws -> Work) async throws -> Response {
        let once = try IdempotentRequest(call, body: body, store: self.store)
        let logger = call.context.logger
        do {
            let work = try await work()
            // Storing detects a repetition, so a small request needs no earlier lookup. A large one is too costly to
            // store just for that.
            if let once, !work.plan.isSmall, let record = try await once.earlier() {
                return await self.repeated(record, logger)
            }
            return try await self.carryOut(work, once, logger)
        } catch {
            // If the request was executed before, replay its response, even if a repetition would fail now.
            guard let once, let record = try await once.earlier() else { throw error }
            return await self.repeated(record, logger)
        }
    }

    /// Stores the notification, and waits for its outcomes if the caller waits.
    ///
    /// After the commit it throws nothing: the response confirms the commit, even if a later step fails.
    private func carryOut(_ work: Work, _ once: IdempotentRequest?, _ logger: Logger) async throws -> Response {
        let plan = work.plan
        // Only a request with an idempotency key stores its response now. Others create it when the status is known.
        let noted = once == nil ? nil : Self.answer(work.accepted(plan.status), of: plan.notification)
        let note = noted.flatMap { once?.note(plan.notification, answer: $0) }
        guard self.waits else {
            try await self.metrics.accept(plan, noting: note, in: self.store)
            return Response(noted ?? Self.answer(work.accepted(plan.status), of: plan.notification))
        }
        // Subscribe before storing the notification, so that no settlement is missed.
        let subscription = self.signals.subscribe(to: plan.notification.id)
        defer { subscription.end() }
        let listener =
            once == nil && plan.isSmall
            ? SettlementWaiter.Listener(for: plan.notification, self.waiter.announcements, wakes: subscription) : nil
        defer { listener?.end() }
        if let once { self.waiter.named.begin(once.slot) }
        defer { if let once { self.waiter.named.end(once.slot) } }
        try await self.metrics.accept(plan, noting: note, in: self.store)
        let waited = await self.waiter.wait(
            for: plan.notification.id,
            listener: listener,
            wakes: subscription,
            logger: logger
        ) { standing in
            IdempotencyRecord.Answer(try await work.settled(standing), status: .ok)
        }
        switch waited {
        case .done(let answer):
            if let once { await self.keep(answer, for: once.slot, logger) }
            return Response(answer)
        case .open(let status):
            return Response(Self.answer(work.accepted(status ?? plan.status), of: plan.notification))
        }
    }

    /// Stores the response that repetitions of a request receive from now on.
    ///
    /// If that fails, a repetition computes the outcomes itself, like that of a request that did not wait.
    func keep(_ answer: IdempotencyRecord.Answer, for slot: ScopedIdempotencyKey, _ logger: Logger) async {
        do {
            try await self.store.setAnswer(answer, for: slot)
        } catch {
            logger.warning("Failed to store the response of an idempotent request", error: error)
        }
    }

    /// Replays the stored response; a repetition that waits receives the outcomes.
    ///
    /// It calls `complete` with the stored response if no earlier request waited for the outcomes.
    /// - Returns: the response, marked as a replay.
    func repeated(
        _ record: IdempotencyRecord,
        _ logger: Logger,
        _ complete: (IdempotencyRecord.Answer, NotificationResponse) throws -> IdempotencyRecord.Answer = {
            IdempotencyRecord.Answer($1, status: .ok)
        }
    ) async -> Response {
        guard self.waits, record.answer.status != HTTPResponse.Status.ok.code else {
            return Response(record.answer, isReplayed: true)
        }
        let subscription = self.signals.subscribe(to: record.notification)
        defer { subscription.end() }
        subscription.wake()
        let waited = await self.waiter.wait(for: record.notification, wakes: subscription, logger: logger) { standing in
            await self.waiter.named.ended(record.slot)
            let latest = try await self.store.idempotencyRecord(record.slot) ?? record
            guard latest.answer.status != HTTPResponse.Status.ok.code else { return latest.answer }
            // No earlier request waited for all outcomes.
            return try complete(latest.answer, try await self.outcomes(standing.status))
        }
        switch waited {
        case .done(let answer): return Response(answer, isReplayed: true)
        case .open:
            let latest = try? await self.store.idempotencyRecord(record.slot)
            return Response((latest ?? record).answer, isReplayed: true)
        }
    }

    /// Returns the status of a notification with its first failures.
    func outcomes(_ status: NotificationStatus) async throws -> NotificationResponse {
        var body = NotificationResponse(status)
        body.list(try await self.store.firstFailures(of: status), in: status)
        return body
    }

    private static func answer(
        _ body: NotificationResponse,
        of notification: PushModel.Notification
    ) -> IdempotencyRecord.Answer {
        let location = "/v1/apps/\(notification.app)/notifications/\(notification.id)"
        return IdempotencyRecord.Answer(body, status: .accepted, location: location)
    }
}

extension NotificationStore {
    /// The first failures of a notification, which has none if all of it was delivered.
    func firstFailures(
        of status: NotificationStatus,
        limit: Int = PageRequest.defaultLimit
    ) async throws -> Page<TargetOutcome, APNsID> {
        if status.counts.delivered == status.notification.targetCount { return Page(elements: [], next: nil) }
        return try await self.failures(of: status.notification.id, after: nil, limit: limit)
    }
}

extension AuthorizedRequest {
    /// Whether the caller waits for the outcomes.
    ///
    /// - Throws: ``Problem`` `.invalidRequest`.
    func waits(_ others: String...) throws(Problem) -> Bool {
        guard self.request.uri.query != nil else { return false }
        switch try self.query(others + ["wait"])["wait"] {
        case nil, "false": return false
        case "true": return true
        case .some(let text):
            let found = "\(text.utf8.count) other characters"
            throw Problem(.invalidRequest, at: .query("wait"), expected: "'true' or 'false'", got: found)
        }
    }
}

/// The requests with an idempotency key that wait for their outcomes in this process.
///
/// The final response of such a request is stored a moment after its outcomes. A repetition that also waits would find
/// the outcomes without the response in that moment, so it waits for the first request instead.
final class IdempotentWaitRegistry: Sendable {
    private struct Entry {
        var count = 0
        var listeners: [AsyncStream<Void>.Continuation] = []
    }

    private let entries = Mutex<[ScopedIdempotencyKey: Entry]>([:])

    /// A request of this name is about to be carried out and waited for.
    func begin(_ slot: ScopedIdempotencyKey) {
        self.entries.withLock { $0[slot, default: Entry()].count += 1 }
    }

    /// A request that has begun was answered, or was not carried out.
    func end(_ slot: ScopedIdempotencyKey) {
        let listeners = self.entries.withLock { entries in
            entries[slot]?.count -= 1
            guard entries[slot]?.count == 0 else { return [] as [AsyncStream<Void>.Continuation] }
            return entries.removeValue(forKey: slot)?.listeners ?? []
        }
        for listener in listeners { listener.finish() }
    }

    /// Waits until no request with this key waits; returns immediately if none does.
    ///
    /// These requests started earlier, so they end within the limit of the caller.
    func ended(_ slot: ScopedIdempotencyKey) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        self.entries.withLock { entries in
            if entries[slot] == nil { end.finish() } else { entries[slot]?.listeners.append(end) }
        }
        for await _ in ends {}
    }
}

/// Counts accepted notifications, and measures the duration of storing them.
struct AcceptanceMetrics: Sendable {
    private let accepted: [Lane: Counter]
    private let storing: Timer
    private let fullQueues: Counter
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        let counters = Lane.allCases.map { lane in
            let dimensions = [("lane", lane.rawValue)]
            return (lane, Counter(label: "apus_api_accepted_total", dimensions: dimensions, factory: factory))
        }
        self.accepted = Dictionary(uniqueKeysWithValues: counters)
        self.storing = Timer(label: "apus_store_accept_duration_seconds", factory: factory)
        self.fullQueues = Counter(
            label: "apus_topics_deliveries_total",
            dimensions: [("result", "queue_full")],
            factory: factory
        )
    }

    /// Stores a plan, with a note where there is one, and counts its targets when that is done.
    func accept(
        _ plan: BatchedNotification,
        noting note: AcceptanceAttachment? = nil,
        in store: any NotificationStore
    ) async throws {
        let duration = try await ContinuousClock().measure {
            try await store.accept(plan.notification, batches: plan.batches, noting: note)
        }
        self.storing.record(duration: duration)
        self.count(plan.batches)
    }

    /// Counts URLs that a message is not posted to, because their queue is full.
    func countFullQueues(_ count: Int) {
        if count > 0 { self.fullQueues.increment(by: count) }
    }

    /// Counts an app that a publish skips, by the SNS platform of its devices.
    func countSkippedApp(_ platform: String) {
        Counter(
            label: "apus_sns_skipped_apps_total",
            dimensions: [("platform", platform)],
            factory: self.factory
        ).increment()
    }

    /// Counts the targets of batches that were accepted.
    func count(_ batches: [Batch]) {
        for batch in batches { self.accepted[batch.lane]?.increment(by: batch.targets.count) }
    }
}
