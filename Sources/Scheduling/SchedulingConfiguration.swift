// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import Work

/// The limits and delays of the fan-out of campaigns and rollouts.
package struct SchedulingConfiguration: Hashable, Sendable {
    /// The lease holder's name of this process, a new one at every start; unique among all that share a store.
    package var planner: WorkerID

    /// The most campaigns that are fanned out at the same time.
    ///
    /// Range: 1...1000. A campaign that waits for its next wave, its rate limit or its queued batches does not count.
    /// Up to 1,000 campaigns are leased. Others wait until one of these is idle.
    package var campaigns = 16

    /// The lease duration of a campaign; the lease is extended with every step, and three times within it in between.
    package var leaseDuration: Duration = .seconds(15)

    /// The interval of polls for campaigns without a signal, such as those of other processes.
    package var pollInterval: Duration = .seconds(1)

    /// The interval at which a campaign checks whether it can enqueue more devices.
    ///
    /// Settlements in this process wake the campaign at once. If more campaigns are leased than are fanned out at the
    /// same time, the interval grows in proportion, up to a fifth of ``leaseDuration``, or half of ``lead`` with a rate
    /// limit.
    package var planInterval: Duration = .milliseconds(200)

    /// The longest wait of a campaign that keeps its lease; before a longer wait, it is released.
    package var longestWait: Duration = .seconds(60)

    /// The most devices of an audience page, 1...10,000.
    package var shardSize = Batch.maximumTargets

    /// The most devices of a campaign that are enqueued and have no outcome.
    ///
    /// Pausing, cancelling and removing devices affect only devices that are not enqueued yet.
    package var maxEnqueuedTargets = 60_000

    /// How long before its send time a page of a campaign with a rate limit is enqueued, at most.
    ///
    /// After an outage at most three seconds' worth, or one page, are sent at once.
    package var lead: Duration = .seconds(1)

    /// The page size of rollouts, and the most starts without an outcome.
    ///
    /// The participants of a page are written in the same transaction, for which other writers wait.
    package var rollouts = RolloutLimits()

    /// The number of consecutive processing failures after which a campaign fails, 1 or more.
    ///
    /// A store that is unreachable or locked does not count.
    package var maximumSetbacks = 5

    /// The delay after each of these failures, and after a transient error of the store.
    package var backoff = ExponentialBackoff(minimum: .seconds(1), maximum: .seconds(60), jitter: 1...1)

    package init(planner: WorkerID = .unique()) { self.planner = planner }

    func pace(of campaign: Campaign) -> FanOutLimits {
        FanOutLimits(
            ratePerSecond: campaign.rate,
            turn: campaign.tokenValidation?.turn,
            shardSize: self.shardSize,
            lookahead: self.maxEnqueuedTargets,
            lead: self.lead
        )
    }
}

/// The limits and delays of the job scheduler.
package struct JobSchedulerConfiguration: Hashable, Sendable {
    /// The lease holder's name of this process, a new one at every start; unique among all that share a store.
    package var worker: WorkerID

    /// The most runs that are executed at the same time, 1...1000; others wait until one of these has ended.
    package var concurrency = 32

    /// The lease duration of a run; the lease is extended with every step, and three times within it in between.
    ///
    /// Keep it well above the clock differences of the processes that share a store.
    package var leaseDuration: Duration = .seconds(15)

    /// The interval of polls for changes without a signal, such as those of other processes.
    package var pollInterval: Duration = .seconds(1)

    package init(worker: WorkerID = .unique()) { self.worker = worker }
}
