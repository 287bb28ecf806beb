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

/// How a request to send is carried out, whatever it sends: once, stored durably, and waited for where that is asked for.
struct Sending: Sendable {
    typealias Store = IdempotencyStore & NotificationStore

    let store: any Store
    let signals: ChangeHub<NotificationID>
    let waiter: SettlementWaiter
    let metrics: AcceptanceMetrics

    /// Whether the caller waits for the outcomes.
    let waits: Bool

    /// What is to be sent, and how the caller is told of it.
    struct Work {
        let plan: NotificationPlan

        /// The answer while targets are without an outcome.
        let accepted: (NotificationStatus) -> NotificationBody

        /// The answer once every target has its outcome.
        let settled: (SettlementWaiter.Standing) async throws -> NotificationBody
    }

    /// Carries a request out, or answers what it was answered before.
    ///
    /// - Returns: 202 when it is stored, or 200 when it was waited for until every target had its outcome.
    /// - Throws: ``Problem``, and what the store and `work` throw.
    func once(_ call: APICall, body: [UInt8], _ work: () async throws -> Work) async throws -> Response {
        let once = try OnceOnly(call, body: body, store: self.store)
        let logger = call.context.logger
        do {
            let work = try await work()
            // Storing tells a repetition, so a small request needs no look before. A large one would be stored in vain.
            if let once, !work.plan.isSmall, let record = try await once.earlier() {
                return await self.repeated(record, logger)
            }
            return try await self.carryOut(work, once, logger)
        } catch {
            // Where the request was carried out before, its answer counts, whatever has changed since.
            guard let once, let record = try await once.earlier() else { throw error }
            return await self.repeated(record, logger)
        }
    }

    /// Stores what is to be sent, and waits for it where that is asked for.
    ///
    /// Once it is stored nothing is thrown: the caller is told that it is, whatever fails afterwards.
    private func carryOut(_ work: Work, _ once: OnceOnly?, _ logger: Logger) async throws -> Response {
        let plan = work.plan
        // Only a request with a key has its answer stored; others make it when it is known which one they get.
        let noted = once == nil ? nil : Self.answer(work.accepted(plan.status), of: plan.notification)
        let note = noted.flatMap { once?.note(plan.notification, answer: $0) }
        guard self.waits else {
            try await self.metrics.accept(plan, noting: note, in: self.store)
            return Response(noted ?? Self.answer(work.accepted(plan.status), of: plan.notification))
        }
        // Subscribed before it is accepted, so that no settlement can go by unseen.
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

    /// Stores what repetitions of a request are answered from now on.
    ///
    /// Where that fails, they are answered with the outcomes all the same, as those of a request that did not wait.
    func keep(_ answer: IdempotencyRecord.Answer, for slot: IdempotencySlot, _ logger: Logger) async {
        do {
            try await self.store.setAnswer(answer, for: slot)
        } catch {
            logger.warning("The answer to a request could not be kept for its repetitions", error: error)
        }
    }

    /// Answers a repetition with the first answer; one that waits gets the outcomes, as the first one did or would have.
    ///
    /// It calls `complete` with the first answer if no request has waited for the outcomes before.
    /// - Returns: the answer, marked as a repetition.
    func repeated(
        _ record: IdempotencyRecord,
        _ logger: Logger,
        _ complete: (IdempotencyRecord.Answer, NotificationBody) throws -> IdempotencyRecord.Answer = {
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
            // Nobody waited for it to the end before.
            return try complete(latest.answer, try await self.outcomes(standing.status))
        }
        switch waited {
        case .done(let answer): return Response(answer, isReplayed: true)
        case .open:
            let latest = try? await self.store.idempotencyRecord(record.slot)
            return Response((latest ?? record).answer, isReplayed: true)
        }
    }

    /// What a notification has come to, with its first failures.
    func outcomes(_ status: NotificationStatus) async throws -> NotificationBody {
        var body = NotificationBody(status)
        body.list(try await self.store.firstFailures(of: status), in: status)
        return body
    }

    private static func answer(
        _ body: NotificationBody,
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

extension APICall {
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

/// The requests with a name that wait for their outcomes in this process.
///
/// What one of them is answered in the end is stored a moment after the outcomes are there. A repetition that waits, too,
/// would find the outcomes without the answer in that moment: it waits for the first request instead.
final class NamedWaits: Sendable {
    private struct Entry {
        var count = 0
        var listeners: [AsyncStream<Void>.Continuation] = []
    }

    private let entries = Mutex<[IdempotencySlot: Entry]>([:])

    /// A request of this name is about to be carried out and waited for.
    func begin(_ slot: IdempotencySlot) {
        self.entries.withLock { $0[slot, default: Entry()].count += 1 }
    }

    /// A request that has begun was answered, or was not carried out.
    func end(_ slot: IdempotencySlot) {
        let listeners = self.entries.withLock { entries in
            entries[slot]?.count -= 1
            guard entries[slot]?.count == 0 else { return [] as [AsyncStream<Void>.Continuation] }
            return entries.removeValue(forKey: slot)?.listeners ?? []
        }
        for listener in listeners { listener.finish() }
    }

    /// Waits until no request of this name waits any more, at once where none does.
    ///
    /// Those that do have begun to wait earlier, and so end within the limit of whoever asks.
    func ended(_ slot: IdempotencySlot) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        self.entries.withLock { entries in
            if entries[slot] == nil { end.finish() } else { entries[slot]?.listeners.append(end) }
        }
        for await _ in ends {}
    }
}

/// Counts what is accepted, and how long the store took to make it durable.
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
        self.storing = Timer(label: "apus_store_accept_seconds", factory: factory)
        self.fullQueues = Counter(
            label: "apus_topics_deliveries_total",
            dimensions: [("end", "queue-full")],
            factory: factory
        )
    }

    /// Stores a plan, with a note where there is one, and counts its targets when that is done.
    func accept(
        _ plan: NotificationPlan,
        noting note: AcceptanceNote? = nil,
        in store: any NotificationStore
    ) async throws {
        let duration = try await ContinuousClock().measure {
            try await store.accept(plan.notification, batches: plan.batches, noting: note)
        }
        self.storing.record(duration: duration)
        self.count(plan.batches)
    }

    /// Counts URLs that a message is not posted to, since as much waits for them as may.
    func countFullQueues(_ count: Int) {
        if count > 0 { self.fullQueues.increment(by: count) }
    }

    /// Counts an app whose devices of a platform of SNS are left out of a publication.
    func countLeftOut(_ platform: String) {
        Counter(
            label: "apus_sns_left_out_total",
            dimensions: [("platform", platform)],
            factory: self.factory
        ).increment()
    }

    /// Counts the targets of batches that were accepted.
    func count(_ batches: [Batch]) {
        for batch in batches { self.accepted[batch.lane]?.increment(by: batch.targets.count) }
    }
}
