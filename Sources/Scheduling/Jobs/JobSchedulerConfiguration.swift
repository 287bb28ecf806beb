// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// How jobs are run: how many at once, and how long is waited.
public struct JobSchedulerConfiguration: Hashable, Sendable {
    /// The name under which this process leases runs; unique among all that share a store.
    ///
    /// Default: a new one for every process start.
    public var worker: WorkerID

    /// How many runs go on at once.
    ///
    /// Range: 1...1000. Default: 32. Others wait until one of these has ended.
    public var concurrency = 32

    /// How long a run is leased; it is extended with every step, and three times within that in between.
    ///
    /// Default: 15 seconds. A run whose scheduler was killed is taken over after at most that long. Keep it well above the
    /// difference of the clocks of those who share a store.
    public var leaseDuration: Duration = .seconds(15)

    /// How often the store is asked for what no signal told of, as of other processes.
    ///
    /// Default: 1 second.
    public var pollInterval: Duration = .seconds(1)

    /// The documented defaults.
    ///
    /// - Parameter worker: the name under which this process leases runs.
    public init(worker: WorkerID = JobSchedulerConfiguration.uniqueWorker()) {
        self.worker = worker
    }

    /// A worker's name that no other process has: `jobs-` and 16 random hexadecimal digits.
    public static func uniqueWorker() -> WorkerID {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return WorkerID(unchecked: "jobs-" + String(repeating: "0", count: 16 - digits.count) + digits)
    }
}
