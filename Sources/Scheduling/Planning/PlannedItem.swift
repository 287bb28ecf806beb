// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Work

/// A claimed campaign or rollout.
///
/// It is idle while there is nothing to do, and then keeps its lease but not its slot.
protocol PlannedItem: LeasedItem {
    associatedtype Context: PlanningContext
    associatedtype End: PlanningEnd

    var context: Context { get }

    func release(as end: End) async throws

    func count(_ failure: PlanningFailure)
}

/// The dependencies of the processing of a campaign or a rollout.
protocol PlanningContext: Sendable {
    var configuration: SchedulingConfiguration { get }
    var clock: any Clock<Duration> { get }
    var now: @Sendable () -> Date { get }
    var logger: Logger { get }
}

/// Why a lease is released, and when the item can be claimed again.
protocol PlanningEnd: Sendable {
    static func until(_ time: Date) -> Self

    /// A failure, which is counted.
    static func setBack(until: Date) -> Self

    static func failed(reason: String) -> Self
}

extension CampaignReleaseReason: PlanningEnd {}
extension RolloutReleaseReason: PlanningEnd {}

/// A failure to process a campaign or a rollout, as it is counted.
enum PlanningFailure: Hashable, Sendable {
    /// Another worker has the item, or it was ended.
    case lost

    /// It is retried.
    case retried

    case failed
}

extension PlannedItem {
    var configuration: SchedulingConfiguration { self.context.configuration }
    var leaseDuration: Duration { self.configuration.leaseDuration }
    var logger: Logger { self.context.logger }
    var now: Date { self.context.now() }
    var planner: WorkerID { self.configuration.planner }

    /// Whether the item is to be released, because the service or the task ends.
    var isStopping: Bool { Task.isShuttingDownGracefully || Task.isCancelled }

    func end(after failure: WorkFailure) async throws {
        let now = self.now
        let backoff = self.configuration.backoff
        func later(_ delay: Duration) -> Date { now.addingTimeInterval(delay / .seconds(1)) }
        let end: End
        switch failure {
        case .leaseLost:
            self.count(.lost)
            // This worker may have claimed the item again, with progress that this processor does not know.
            end = .until(now)
        case .cancelled: end = .until(now)
        case .transient: end = .until(later(backoff.minimum))
        case .permanent(let error, let failures):
            let isFinal = failures >= self.configuration.maximumSetbacks
            self.count(isFinal ? .failed : .retried)
            end = isFinal ? .failed(reason: "\(error)") : .setBack(until: later(backoff.delay(after: failures)))
        }
        // Otherwise the item would wait until the lease expires, also if the store is back before that.
        let expiry = later(self.leaseDuration)
        try await self.repeating(
            after: ExponentialBackoff(minimum: backoff.minimum, maximum: backoff.minimum, jitter: 1...1),
            clock: self.context.clock,
            "Failed to release \(Self.kind); trying again",
            unless: { self.now >= expiry }
        ) { _ in
            try await self.release(as: end)
        }
    }

    /// Extends the lease during a read that can take longer than the lease.
    func holdingLease<Value: Sendable>(_ read: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await self.keepingLease(clock: self.context.clock, every: { self.leaseDuration / 3 }, read)
    }

    /// Waits for a slot, unless the item has one, and extends the lease meanwhile.
    func take(_ slot: WorkSlot) async throws {
        guard !slot.request() else { return }
        try await self.holdingLease { await slot.isGranted() }
    }

    /// The time after which an idle item looks for work.
    ///
    /// It grows with the number of items, so that many idle items query the store no more often than few. It is at most
    /// `longest`, unless the interval for few items is longer.
    func interval(in slot: WorkSlot, longest: Duration) -> Duration {
        let interval = self.configuration.planInterval
        return max(interval, min(interval * slot.load, longest))
    }
}
