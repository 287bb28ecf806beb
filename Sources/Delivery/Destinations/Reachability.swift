// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import PushModel
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What all batches of this process know of their destinations; see ``ReachabilityTable``.
final class Reachability: Sendable {
    private let table = Mutex(ReachabilityTable())

    /// See ``ReachabilityTable/standing(of:now:)``.
    func standing(of destination: APNsDestination, now: Date) -> ReachabilityTable.Standing {
        self.table.withLock { $0.standing(of: destination, now: now) }
    }

    /// See ``ReachabilityTable/standings(now:)``.
    func standings(now: Date) -> [BatchKind: ReachabilityTable.Standing] {
        self.table.withLock { $0.standings(now: now) }
    }

    /// See ``ReachabilityTable/learn(_:_:)``.
    func learn(_ kind: BatchKind, _ destinations: Set<APNsDestination>) {
        self.table.withLock { $0.learn(kind, destinations) }
    }

    /// See ``ReachabilityTable/answered(_:)``.
    func answered(_ destination: APNsDestination) -> Bool {
        self.table.withLock { $0.answered(destination) }
    }

    /// See ``ReachabilityTable/failed(_:now:delay:)``.
    func failed(_ destination: APNsDestination, now: Date, backoff: RetryBackoff) -> Date {
        self.table.withLock { table in
            table.failed(destination, now: now) { backoff.delay(after: $0) }
        }
    }
}
