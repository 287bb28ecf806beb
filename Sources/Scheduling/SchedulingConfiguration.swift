// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
package import PushModel
import PushStore
import ServiceLifecycle

/// How campaigns are planned: how much at once, how far ahead, and how long is waited.
package struct SchedulingConfiguration: Hashable, Sendable {
    /// The name under which this process leases campaigns; unique among all that share a store.
    ///
    /// Default: a new one for every process start, so that a restarted process is another planner.
    package var planner: WorkerID

    /// How many campaigns are planned at once.
    ///
    /// Range: 1...1000. Default: 16. One that waits, for its turn or for what it has planned to be sent, does not count: up
    /// to 1,000 are leased. Others wait until one of these has nothing to do for a moment.
    package var campaigns = 16

    /// How long a campaign is leased; it is extended with every step, and three times within that in between.
    ///
    /// Default: 15 seconds. A campaign whose planner was killed is taken over after at most that long.
    package var leaseDuration: Duration = .seconds(15)

    /// How often the store is asked for campaigns that no signal told of.
    ///
    /// Default: 1 second. What is created in this process is planned at once.
    package var pollInterval: Duration = .seconds(1)

    /// How often a campaign that is being planned looks whether there is room for more.
    ///
    /// Default: 200 ms. What is settled in this process makes room at once. Where more campaigns are leased than are planned
    /// at once it is as many times as long, up to a fifth of ``leaseDuration``, or half of ``lead`` for a throttled one.
    package var planInterval: Duration = .milliseconds(200)

    /// How long a campaign may have nothing to do before it is given back until then.
    ///
    /// Default: 1 minute.
    package var longestWait: Duration = .seconds(60)

    /// The most devices of a shard.
    ///
    /// Range: 1...10,000. Default: 10,000.
    package var shardSize = Batch.maximumTargets

    /// How many devices of a campaign may be planned and have no outcome.
    ///
    /// Default: 60,000. Pausing, cancelling and removing devices take hold of all that is behind that.
    package var lookahead = 60_000

    /// How long before its turn a shard of a throttled campaign is planned at most.
    ///
    /// Default: 1 second. After an outage at most three seconds' worth, or one shard, are sent at once.
    package var lead: Duration = .seconds(1)

    /// How large the shards of rollouts are, and how far ahead of what is sent.
    ///
    /// Default: 2,000 devices, and 20,000 starts without an outcome. The phones of a shard are written with it, for which
    /// others wait that write.
    package var rollouts = RolloutPace()

    /// How often in a row a campaign may fail to be planned before it has failed.
    ///
    /// Range: 1 or more. Default: 5. A store that cannot be reached or is locked does not count.
    package var maximumSetbacks = 5

    /// How long is waited after the first of these; it doubles each time, up to a minute.
    ///
    /// Default: 1 second.
    package var setbackDelay: Duration = .seconds(1)

    /// The documented defaults.
    package init(planner: WorkerID = .unique()) {
        self.planner = planner
    }

    /// How large the shards of a campaign are, and how far ahead they are planned.
    func pace(of campaign: Campaign) -> CampaignPace {
        CampaignPace(
            throttle: campaign.rate,
            turn: campaign.screening?.turn,
            shardSize: self.shardSize,
            lookahead: self.lookahead,
            lead: self.lead
        )
    }

    /// How long a run waits that has failed once more than so many times in a row.
    func delay(after setbacks: Int) -> Duration {
        min(.seconds(60), self.setbackDelay * (1 << min(max(0, setbacks), 10)))
    }
}

/// How jobs are run: how many at once, and how long is waited.
package struct JobSchedulerConfiguration: Hashable, Sendable {
    /// The name under which this process leases runs; unique among all that share a store.
    ///
    /// Default: a new one for every process start.
    package var worker: WorkerID

    /// How many runs go on at once.
    ///
    /// Range: 1...1000. Default: 32. Others wait until one of these has ended.
    package var concurrency = 32

    /// How long a run is leased; it is extended with every step, and three times within that in between.
    ///
    /// Default: 15 seconds. A run whose scheduler was killed is taken over after at most that long. Keep it well above the
    /// difference of the clocks of those who share a store.
    package var leaseDuration: Duration = .seconds(15)

    /// How often the store is asked for what no signal told of, as of other processes.
    ///
    /// Default: 1 second.
    package var pollInterval: Duration = .seconds(1)

    /// The documented defaults.
    package init(worker: WorkerID = .unique()) {
        self.worker = worker
    }
}
