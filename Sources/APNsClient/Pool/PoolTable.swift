// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// The pools of a client, one for each destination and lane, with a maximum number; unused ones are removed.
///
/// A pure state machine: the caller passes the time. The lock of its owner ensures that no caller starts to use a pool
/// while it is removed.
struct PoolTable {
    /// The result of adding a pool.
    enum Addition {
        /// It is there now, if need be in the place of an idle one, which its owner retires.
        case added(replacing: ConnectionPool?)
        /// There are as many as there may be, and all are in use.
        case full
    }

    private struct Key: Hashable {
        let destination: APNsDestination
        let lane: SendLane

        init(_ destination: APNsDestination, _ lane: SendLane) {
            self.destination = destination
            self.lane = lane
        }

        init(of pool: ConnectionPool) {
            self.init(pool.destination, pool.lane)
        }
    }

    private let maximum: Int
    private var pools: [Key: ConnectionPool] = [:]

    init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    var all: [ConnectionPool] { Array(self.pools.values) }

    /// The pool of a destination for work of a lane, which the caller uses from now on.
    func use(_ destination: APNsDestination, _ lane: SendLane) -> ConnectionPool? {
        let pool = self.pools[Key(destination, lane)]
        pool?.beginUse()
        return pool
    }

    /// Adds a pool where there is none, which the caller uses from now on.
    mutating func add(_ pool: ConnectionPool) -> Addition {
        var replaced: ConnectionPool?
        if self.pools.count >= self.maximum {
            guard let idle = self.longestIdle else { return .full }
            replaced = self.pools.removeValue(forKey: Key(of: idle))
        }
        pool.beginUse()
        self.pools[Key(of: pool)] = pool
        return .added(replacing: replaced)
    }

    /// Removes and returns the pools that were unused for this time.
    mutating func removeIdle(for timeout: TimeAmount, now: NIODeadline) -> [ConnectionPool] {
        let idle = self.pools.values.filter { pool in pool.idleSince.map { now - $0 >= timeout } ?? false }
        for pool in idle { self.pools.removeValue(forKey: Key(of: pool)) }
        return idle
    }

    private var longestIdle: ConnectionPool? {
        self.pools.values
            .compactMap { pool in pool.idleSince.map { (pool: pool, since: $0) } }
            .min { $0.since < $1.since }?.pool
    }
}
