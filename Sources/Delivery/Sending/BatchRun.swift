// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle

/// One claimed batch on its way, until nothing more of it can be sent for now.
struct BatchRun: Sendable {
    let claimed: ClaimedBatch
    let context: DeliveryContext

    /// When the batch was claimed, for how long its slices took.
    private let began = ContinuousClock.now

    init(claimed: ClaimedBatch, context: DeliveryContext) {
        self.claimed = claimed
        self.context = context
    }

    /// How long ago the batch was claimed.
    var age: Duration { ContinuousClock.now - self.began }

    /// The time from which nothing more of the batch is sent.
    var expiry: Date { self.claimed.expiry(maximumAge: self.context.configuration.maximumAge) }

    var isExpired: Bool { self.expiry <= self.context.now() }

    /// For how long the batch may still be sent; `nil` when its time is over.
    var timeLeft: Duration? {
        let seconds = self.expiry.timeIntervalSince(self.context.now())
        return seconds > 0 ? .seconds(seconds) : nil
    }

    /// Sends what the claim is for, settles it, and gives the batch back with what is left.
    ///
    /// The lease is kept until all that was sent is settled.
    /// - Returns: how that ended.
    func send() async -> BatchEnd {
        let end: BatchEnd
        do {
            end = try await self.keepingLease { try await self.sendAndGiveBack() }
        } catch let error as StoreError where error.code == .leaseLost {
            self.log(.info, "The lease of a batch was lost", error)
            end = .leaseLost
        } catch let error as StoreError where !error.isTransient {
            end = await self.setBack(error)
        } catch {
            self.log(.error, "A batch is left until its lease lapses", error)
            end = .abandoned
        }
        // Whoever has the batch now counts anew; a batch that is given back for later counts on.
        switch end {
        case .settled, .failed, .leaseLost: self.context.setbacks.forget(self.claimed.batch.id)
        case .deferred, .stopped, .halted, .paused, .setBack, .abandoned: break
        }
        self.context.metrics.count(end)
        return end
    }

    private func sendAndGiveBack() async throws -> BatchEnd {
        if self.context.setbacks.count(of: self.claimed.batch.id) >= self.context.configuration.maximumSetbacks {
            // It was to end before, and the store could not take that.
            try await self.close(as: .store)
            return .failed
        }
        let end = try await self.sendAll()
        switch end {
        case .deferred, .stopped, .halted, .paused:
            let calledOff = try await self.context.store.release(
                self.claimed.batch.id,
                worker: self.claimed.worker,
                now: self.context.now()
            )
            self.context.metrics.count(OutcomeCounts(failed: [.cancelled: calledOff]))
        case .settled, .leaseLost, .setBack, .failed, .abandoned: break
        }
        return end
    }

    private func sendAll() async throws -> BatchEnd {
        if Task.isShuttingDownGracefully || Task.isCancelled { return .stopped }
        if self.isExpired { return try await self.expire() }
        let routes = try await self.routes()
        self.context.breakers.learn(self.claimed.batch.kind, routes.lines)
        if self.context.breakers.arePaused(routes, now: self.context.now()) { return .paused }
        switch try await self.sendSlices(along: routes) {
        case .settled: return .settled
        case .left: return .deferred
        case .stopped(.expired): return try await self.expire()
        case .stopped(.shutdown), .stopped(.cancelled): return .stopped
        case .stopped(.paused): return .paused
        case .stopped(.halted): return .halted
        }
    }

    private func expire() async throws -> BatchEnd {
        try await self.close(as: .expired)
        return .settled
    }

    /// Ends the batch: what has no outcome comes to `code`.
    private func close(as code: FailureCode) async throws {
        let count = try await self.context.store.close(
            self.claimed.batch.id,
            worker: self.claimed.worker,
            as: code,
            now: self.context.now()
        )
        self.context.metrics.count(OutcomeCounts(failed: [code: count]))
        guard code != .expired else { return }
        self.context.logger.error(
            "A batch has failed",
            metadata: self.metadata.merging(["code": "\(code)", "targets": "\(count)"]) { own, _ in own }
        )
    }

    // MARK: Setbacks

    /// The store refuses what no repetition helps with: the batch waits longer each time, and fails in the end.
    private func setBack(_ error: StoreError) async -> BatchEnd {
        let batch = self.claimed.batch.id
        // Counted here too, in case that the store cannot count it, or that its count is damaged.
        let count = max(self.claimed.setbacks.addingClamping(1), self.context.setbacks.add(batch))
        self.log(.error, "A batch could not be carried out (\(count) times)", error)
        do {
            guard count < self.context.configuration.maximumSetbacks else {
                try await self.close(as: .store)
                return .failed
            }
            let delay = self.context.configuration.outageBackoff.delay(after: count)
            let now = self.context.now()
            let until = now.advanced(by: delay / .seconds(1))
            try await self.context.store.setBack(batch, worker: self.claimed.worker, until: until, now: now)
            return .setBack
        } catch {
            self.log(.error, "A batch is left until its lease lapses", error)
            return .abandoned
        }
    }

    /// By what the log knows the batch.
    private var metadata: Logger.Metadata {
        [
            "batch.id": "\(self.claimed.batch.id)", "notification.id": "\(self.claimed.batch.notification)",
            "app": "\(self.claimed.batch.app)",
        ]
    }

    func log(_ level: Logger.Level, _ message: Logger.Message, _ error: any Error) {
        self.context.logger.log(
            level: level,
            message,
            metadata: self.metadata.merging(["error": "\(error)"]) { own, _ in own }
        )
    }
}

extension BatchRun {
    /// Finds where the targets of each environment go, and says which go nowhere.
    ///
    /// - Throws: `StoreError` when the store cannot be asked.
    func routes() async throws -> BatchRoutes {
        let routes = try await BatchRoutes.find(self.claimed.batch.kind, by: self.context.resolver)
        for failure in routes.legs.compactMap(\.failure) {
            self.log(.error, "Targets fail for want of a credential", failure)
        }
        return routes
    }
}

extension BatchRun {
    /// Something that the sending of slices waits for.
    private enum Event: Sendable {
        case granted(Int)
        case answered(SliceResult)
        case stopped(SliceCourse.Stop)
    }

    /// Sends slices as the window has room for them, and settles each when it has its result.
    func sendSlices(along routes: BatchRoutes) async throws -> SliceCourse.End {
        let holder = WindowShares.Holder(lane: self.claimed.batch.lane, kind: self.claimed.batch.kind)
        let part = WindowPart(of: self.context.window, for: holder)
        // When something throws, what is in flight is still awaited before.
        defer { part.giveBackAll() }
        let halts = self.context.halts.begin(self.claimed.batch)
        defer { self.context.halts.end(self.claimed.batch.id) }
        let sender = SliceSender(claimed: self.claimed, routes: routes, rule: self.rule, context: self.context)
        let main = routes.lines.count > 1 ? self.claimed.batch.targets.mainEnvironment : nil
        return try await withThrowingTaskGroup(of: Event.self) { group in
            defer { group.cancelAll() }
            group.addTask { (try? await gracefulShutdown()) == nil ? .stopped(.cancelled) : .stopped(.shutdown) }
            group.addTask {
                for await reason in halts { return .stopped(reason) }
                return .stopped(.cancelled)
            }
            var course = SliceCourse(self.claimed)
            while true {
                // What the client has in flight is answered, what it has not sent comes back.
                if course.isStopping { group.cancelAll() }
                if course.mayAsk, let wanted = self.ask(&course, routes) {
                    group.addTask { .granted(await part.take(wanted)) }
                }
                guard course.isUnderWay, let event = try await group.next() else { return course.end }
                if let obstacle = self.obstacle { course.stop(for: obstacle) }
                switch event {
                case .stopped(let reason): course.stop(for: reason)
                case .granted(let count):
                    let ahead = course.environmentsAhead
                    guard let slice = course.begin(count) else { continue }
                    let now = self.context.now()
                    let postponed = self.context.breakers.postponed(routes, in: ahead, main: main, now: now)
                    group.addTask { .answered(await sender.send(slice, leaving: postponed)) }
                case .answered(let result):
                    let settlement = course.settle(result)
                    course.isSettled = try await self.announceAndSettle(settlement)
                    part.giveBack(result.slice.count)
                    if self.context.breakers.arePaused(routes, now: self.context.now()) { course.stop(for: .paused) }
                }
            }
        }
    }

    /// Why no slice may be begun now, if that is so.
    ///
    /// What stops a batch is also waited for as an event; but where both come, an answer must not let the next one out first.
    private var obstacle: SliceCourse.Stop? {
        if self.isExpired { return .expired }
        if Task.isShuttingDownGracefully { return .shutdown }
        return self.context.halts.stop(of: self.claimed.batch.id)
    }

    private var rule: ResendRule {
        let configuration = self.context.configuration
        return ResendRule(
            maximumAttempts: configuration.maximumAttempts,
            backoff: configuration.retryBackoff,
            maximumDelay: configuration.maximumDelay,
            expiry: self.expiry,
            isOnce: self.claimed.isTriedOnce
        )
    }

    /// How much of the window is asked for now, if anything.
    private func ask(_ course: inout SliceCourse, _ routes: BatchRoutes) -> Int? {
        let isProbe = self.context.breakers.areUnproven(
            routes,
            in: course.environmentsAhead,
            now: self.context.now()
        )
        return course.ask(for: self.context.configuration.sliceTargets, asProbe: isProbe)
    }

    private func announceAndSettle(_ settlement: Settlement) async throws -> Bool {
        try await self.context.announcements.announcing(settlement, of: self.claimed.batch) {
            try await self.settle(settlement)
        }
    }
}

extension TargetList {
    /// The environment of most targets.
    fileprivate var mainEnvironment: APNsEnvironment {
        let production = self.indices.count { self.environment(at: $0) == .production }
        return 2 * production >= self.count ? .production : .sandbox
    }
}

extension BatchRun {
    /// Runs a body, and extends the lease meanwhile; when the lease is lost, the body is cancelled and that is thrown.
    func keepingLease(_ body: @Sendable @escaping () async throws -> BatchEnd) async throws -> BatchEnd {
        try await withThrowingTaskGroup(of: BatchEnd?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await self.keepLease()
                return nil
            }
            group.addTask { try await body() }
            while let end = try await group.next() {
                if let end { return end }
            }
            throw CancellationError()
        }
    }

    /// Extends the lease until cancelled, also while a shutdown is awaited; throws when it is lost.
    ///
    /// It wakes in time to say that the time of the batch is over: what is sent may wait for a connection just then.
    private func keepLease() async throws {
        let duration = self.context.configuration.leaseDuration
        while (try? await self.context.clock.sleep(for: min(duration / 3, self.timeLeft ?? duration))) != nil {
            if self.isExpired { self.context.halts.expire(self.claimed.batch.id) }
            do {
                try await self.context.store.extendLease(
                    of: self.claimed.batch.id,
                    worker: self.claimed.worker,
                    leaseDuration: duration,
                    now: self.context.now()
                )
            } catch let error as StoreError where error.code != .leaseLost {
                self.log(.warning, "A lease could not be extended", error)
            }
        }
    }

    /// Books a slice; repeats that while the store cannot take it but may later.
    ///
    /// - Returns: whether every target of the batch has its outcome now.
    /// - Throws: `StoreError`: `.leaseLost`, or what repeating does not help with; on shutdown also the others.
    func settle(_ settlement: Settlement) async throws -> Bool {
        var attempt = 0
        while true {
            attempt += 1
            do {
                return try await self.settleOnce(settlement, isRepetition: attempt > 1)
            } catch let error as StoreError
                where error.isTransient && !Task.isShuttingDownGracefully && !Task.isCancelled
            {
                self.log(.warning, "A slice could not be settled yet", error)
                let delay = self.context.configuration.retryBackoff.delay(after: attempt)
                // Cut short by a shutdown: then one more attempt is the last.
                try? await cancelWhenGracefulShutdown { try await self.context.clock.sleep(for: delay) }
            }
        }
    }

    private func settleOnce(_ settlement: Settlement, isRepetition: Bool) async throws -> Bool {
        var receipt = SettlementReceipt()
        let duration = try await ContinuousClock().measure {
            receipt = try await self.context.store.settle(settlement, now: self.context.now())
        }
        self.context.metrics.settled(in: duration, age: self.age, lane: self.claimed.batch.lane)
        // What was booked before by an attempt whose answer was lost has not been counted.
        if !receipt.wasRepeated || isRepetition {
            self.context.metrics.count(settlement.counts, pruned: receipt.pruned, suspected: receipt.suspected)
        }
        return receipt.batchSettled
    }
}
