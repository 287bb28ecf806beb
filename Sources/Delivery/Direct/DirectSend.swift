// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Foundation
import PushModel
import PushStore
import ServiceLifecycle
import Work

/// One batch that is sent directly: without a separate task, as one chunk, within its first lease.
///
/// The rules are those of ``BatchProcessor``, which gets every batch that does not meet the conditions of
/// ``DeliveryService/sendDirectly(_:)``, and those that are not settled by their first results.
final class DirectSend: Sendable {
    /// A direct send with its results, which are not settled yet.
    struct Completion: Sendable {
        let send: DirectSend
        let settlement: Settlement

        /// Whether ``UncommittedOutcomes/conclude(_:)`` has to follow.
        let isAnnounced: Bool
        let credential: CredentialHealth.Change?

        var routes: BatchRoutes { self.send.sender.routes }

        /// The time until which the batch is leased.
        var leasedUntil: Date { self.send.processor.claimed.leasedUntil }
    }

    let processor: BatchProcessor
    private let sender: ChunkSender
    private let line: Circuit
    private let chunk: Chunk
    private let attempts: [TargetAttempt]
    private let progress: BatchProgress
    private let holder: FairWindowAllocator.Holder

    private var context: DeliveryService { self.processor.context }
    private var batch: Batch { self.processor.claimed.batch }

    fileprivate init(_ claimed: ClaimedBatch, of kind: RoutingKey, along line: Circuit, in context: DeliveryService) {
        var progress = BatchProgress(claimed)
        self.processor = BatchProcessor(claimed: claimed, context: context)
        let routes = BatchRoutes(legs: [BatchRoutes.Leg(environment: line.environment, route: .line(line))])
        self.sender = ChunkSender(claimed, along: routes, in: context)
        self.line = line
        self.chunk = progress.take(progress.available(.max))
        self.attempts = self.chunk.attempts { _ in true }
        self.progress = progress
        self.holder = FairWindowAllocator.Holder(lane: claimed.batch.lane, kind: kind)
    }

    /// Returns the request to submit; `nil` if the window is full, or if the service shuts down.
    fileprivate func begin(deadline: Duration) -> Submission? {
        guard self.context.window.takeAtOnce(self.attempts.count, for: self.holder) else { return nil }
        DebugTrap.check(.batch, "\(self.batch.id)")
        let submission = Submission(self.sender.request(for: self.attempts), deadline: deadline) { self.complete($0) }
        // Before the send begins, so that a shutdown stops every send that has begun.
        self.context.halts.begin(self.batch) { _ in submission.cancel() }
        guard self.context.directSends.begin() else {
            self.context.halts.end(self.batch.id)
            self.context.window.giveBack(self.attempts.count, from: self.holder)
            return nil
        }
        self.context.metrics.attempted(self.attempts.count, in: self.batch.lane)
        return submission
    }

    /// Evaluates the responses, announces the outcomes and queues them for settlement.
    private func complete(_ answers: [SendOutcome]) {
        let subject = self.sender.subject(in: self.line.environment)
        let credential = self.context.credentials.change(by: answers, for: subject, now: self.context.now())
        var progress = self.progress
        let result = self.sender.judge(answers, to: self.attempts, of: self.chunk, self.line)
        let settlement = progress.settle(result)
        self.context.directSends.complete(
            Completion(
                send: self,
                settlement: settlement,
                isAnnounced: self.context.announcements.announce(settlement, of: self.batch),
                credential: credential
            )
        )
    }

    fileprivate func end(_ completion: Completion) {
        self.context.halts.end(self.batch.id)
        if completion.isAnnounced { self.context.announcements.conclude(self.batch.notification) }
        self.context.window.giveBack(self.attempts.count, from: self.holder)
    }
}

extension DeliveryService {
    /// The pause after a group of settlements with fewer targets than ``fullGroup``.
    ///
    /// With it, one connection that sends one notification after the other costs a quarter less processor time. The
    /// outcomes are announced before. Only callers that wait for the store wait longer: those with an idempotency key,
    /// and the next update of a Live Activity.
    private static let gathering: Duration = .milliseconds(4)
    private static let fullGroup = 64

    /// Sends batches directly; returns the others, which a ``BatchProcessor`` has to send.
    ///
    /// A batch can be sent directly if it is small and was never sent before, its route is known, its circuit is closed
    /// and the window has room for it. The batches of one kind are passed to the connections at once.
    func sendDirectly(_ batches: [ClaimedBatch]) -> [ClaimedBatch] {
        let now = self.now()
        var groups: [RoutingKey: (line: Circuit?, submissions: [Submission])] = [:]
        var others: [ClaimedBatch] = []
        for claimed in batches {
            let kind = claimed.batch.kind
            var group = groups.removeValue(forKey: kind) ?? (self.closedLine(of: kind, now: now), [])
            if let line = group.line, let deadline = self.directDeadline(of: claimed, now: now),
                let submission = DirectSend(claimed, of: kind, along: line, in: self).begin(deadline: deadline)
            {
                group.submissions.append(submission)
            } else {
                others.append(claimed)
            }
            groups[kind] = group
        }
        for (line, submissions) in groups.values where !submissions.isEmpty {
            if let line { self.client.submit(submissions, to: line.destination) }
        }
        return others
    }

    /// Returns the only circuit of a kind if it is known and closed.
    private func closedLine(of kind: RoutingKey, now: Date) -> Circuit? {
        guard kind.hasOneEnvironment, let environment = kind.environments.first,
            let line = self.resolver.knownLine(for: kind.app, in: environment, pushType: kind.pushType),
            self.breakers.isAnswering(kind, along: line, now: now)
        else { return nil }
        return line
    }

    /// Returns the time within which a batch can be sent; `nil` if it cannot be sent directly.
    ///
    /// It is a third of the lease at most, so that the lease does not expire before the batch is settled. A shorter
    /// lease has to be extended, so that slow responses are not cut off.
    private func directDeadline(of claimed: ClaimedBatch, now: Date) -> Duration? {
        let batch = claimed.batch
        guard batch.lane == .urgent, claimed.cursor == 0, claimed.due.isEmpty, claimed.setbacks == 0,
            !claimed.isSuspect, batch.targets.count <= self.configuration.smallBatches(in: .urgent).size,
            self.setbacks.count(of: batch.id) == 0
        else { return nil }
        let lease = Duration.wait(until: claimed.leasedUntil, from: now)
        let deadline = min(self.configuration.sendDeadline, lease / 3)
        let expiry = claimed.expiry(maximumAge: self.configuration.maximumAge)
        let isLong = deadline >= min(self.configuration.sendDeadline, .seconds(10))
        return isLong && deadline < Duration.wait(until: expiry, from: now) ? deadline : nil
    }

    /// Settles the batches that were sent directly, all that are complete at once, until the service shuts down.
    ///
    /// The first one is settled at once. After a few, it pauses for a moment, in which more gather for the next
    /// transaction. On shutdown, targets that were not sent are returned by the client, and those in flight are
    /// awaited.
    func settleDirectSends() async {
        await withDiscardingTaskGroup { group in
            await withTaskCancellationOrGracefulShutdownHandler {
                while var completions = await self.directSends.next() {
                    let changes = completions.compactMap(\.credential)
                    if !changes.isEmpty {
                        group.addTask {
                            for change in changes { await self.credentials.report(change, now: self.now()) }
                        }
                    }
                    let half = self.now().lease(of: self.configuration.leaseDuration / 2)
                    let end = completions.partition { $0.leasedUntil < half }
                    // Their leases must be extended first; the others do not wait for that.
                    for completion in completions[end...] {
                        group.addTask { await self.finish(completion, first: nil) }
                    }
                    completions.removeSubrange(end...)
                    let start = ContinuousClock.now
                    let results = await self.store.settle(completions.map(\.settlement), now: self.now())
                    var ended: [ClaimedBatch] = []
                    for (completion, result) in zip(completions, results) {
                        let processor = completion.send.processor
                        let receipt = try? result.get()
                        if let receipt { processor.record(receipt, of: completion.settlement, since: start) }
                        if receipt?.batchSettled == true {
                            processor.count(.completed)
                            completion.send.end(completion)
                            ended.append(processor.claimed)
                        } else {
                            group.addTask { await self.finish(completion, first: result) }
                        }
                    }
                    await self.ended(ended, in: .urgent)
                    let targets = completions.reduce(0) { $0 + $1.settlement.range.count }
                    if targets < Self.fullGroup { try? await ContinuousClock().sleep(for: Self.gathering) }
                }
            } onCancelOrGracefulShutdown: {
                self.directSends.close()
                self.halts.shutDown()
            }
        }
    }

    /// Ends a direct send that is not settled as a whole; see ``BatchProcessor/finish(_:first:)``.
    private func finish(
        _ completion: DirectSend.Completion,
        first: Result<SettlementResult, any Error>?
    ) async {
        let processor = completion.send.processor
        await processor.finish(completion, first: first)
        completion.send.end(completion)
        await self.ended([processor.claimed], in: .urgent)
    }
}
