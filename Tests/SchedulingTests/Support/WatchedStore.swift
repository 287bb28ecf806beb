// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Synchronization

/// A store that tells what is prepared in it, and carried out of that.
final class WatchedStore: StoreDecorator {
    let base: any PushStore & SQLBacked

    /// How many activities each page has of which something was prepared; 0 behind the last.
    let pages: AsyncStream<Int>

    /// The times at which it was looked for what is due.
    let looks: AsyncStream<Date>

    private let page: AsyncStream<Int>.Continuation
    private let look: AsyncStream<Date>.Continuation
    private let counts = Mutex((prepared: 0, parts: 0, carriedOut: 0))

    /// How many activities were prepared.
    var prepared: Int { self.counts.withLock { $0.prepared } }

    /// How many parts of what was prepared were to be carried out.
    var parts: Int { self.counts.withLock { $0.parts } }

    /// How many transitions were carried out that had been prepared.
    var carriedOut: Int { self.counts.withLock { $0.carriedOut } }

    init(_ base: any PushStore & SQLBacked) {
        self.base = base
        (self.pages, self.page) = AsyncStream.makeStream()
        (self.looks, self.look) = AsyncStream.makeStream()
    }

    func prepareTransitions(
        dueAt instant: Date,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<ActivityChangeSet, Int64> {
        let page = try await self.base.prepareTransitions(dueAt: instant, after: cursor, limit: limit)
        let count = page.elements.reduce(0) { $0 + $1.count }
        self.counts.withLock { $0.prepared += count }
        self.page.yield(count)
        return page
    }

    func carryOut(_ prepared: ActivityChangeSet, now: Date) async throws -> TransitionReport {
        let report = try await self.base.carryOut(prepared, now: now)
        self.counts.withLock { counts in
            counts.parts += 1
            counts.carriedOut += report.entries.count
        }
        return report
    }

    func dueActivities(limit: Int, now: Date) async throws -> [DueActivity] {
        let due = try await self.base.dueActivities(limit: limit, now: now)
        if due.isEmpty { self.look.yield(now) }
        return due
    }

    func carryOutTransitions(limit: Int, only activity: Int64?, now: Date) async throws -> TransitionReport {
        let report = try await self.base.carryOutTransitions(limit: limit, only: activity, now: now)
        self.look.yield(now)
        return report
    }
}
