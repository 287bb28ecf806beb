// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
import PushModel
import PushStore
import Scheduling
import Synchronization

/// What a scheduler needs of a store.
typealias ScheduleStore = ActivityStore & StoreSignals

/// Transitions that are due in one second, carried out by a scheduler in this process.
struct MeasuredSchedule: Sendable {
    /// How long after the plans are made the first is due: they wait in the store by then.
    private static let head: TimeInterval = 3

    /// From the time of each until it is stored, with the batch of what it sends.
    ///
    /// Unit: milliseconds.
    let milliseconds: Percentiles

    /// How many were not carried out.
    let lost: Int

    /// How many changed their activity more than once.
    let duplicated: Int

    /// Plans one transition for each ride, and has them carried out.
    ///
    /// - Parameters:
    ///   - count: how many rides there are.
    ///   - isSpread: whether their times are spread over a second; they are due at the same instant otherwise.
    ///   - store: the store.
    /// - Returns: how late each was.
    /// - Throws: what the store throws.
    static func run(_ count: Int, isSpread: Bool, in store: any ScheduleStore) async throws -> MeasuredSchedule {
        let app = AppID(unchecked: ActivityPopulation.app)
        let patch = try JSONFragment(json: #"{"status":"ending"}"#)
        @Sendable
        func plan(_ time: Date, _ number: Int) async throws {
            let id = PushModel.ActivityID(unchecked: ActivityPopulation.name(number))
            let plan = TransitionPlan(
                key: "ending",
                time: .at(time),
                change: ActivityChange(contentState: .patched(patch))
            )
            _ = try await store.plan([plan], for: id, of: app, now: Date())
        }
        // Farther away than filling takes, and then told anew nearer to its time.
        let far = Date(timeIntervalSinceNow: 3600)
        let began = ContinuousClock.now
        try await ActivityPopulation.each(count) { try await plan(far, $0) }
        let filling = (ContinuousClock.now - began) / .seconds(1)
        let first = Date(timeIntervalSinceNow: (filling * 2 + Self.head).rounded(.up))
        try await ActivityPopulation.each(count) { number in
            try await plan(isSpread ? first.addingTimeInterval(Double(number) / Double(count)) : first, number)
        }
        guard Date() < first else { throw CommandFailure("too_slow", "The plans were not made before they were due.") }
        let latenesses = await self.latenesses(of: count, in: store)
        var versions: [Int] = []
        for number in 0..<count {
            let id = PushModel.ActivityID(unchecked: ActivityPopulation.name(number))
            versions.append(try await store.activity(id, of: app)?.lifecycle.version ?? 0)
        }
        return MeasuredSchedule(
            milliseconds: Percentiles(latenesses.map { 1000 * $0 }),
            lost: versions.count { $0 < 2 },
            duplicated: versions.count { $0 > 2 } + max(0, latenesses.count - count)
        )
    }

    private static func latenesses(of count: Int, in store: any ScheduleStore) async -> [TimeInterval] {
        let (reports, report) = AsyncStream.makeStream(of: (TransitionReport, Date).self)
        let scheduler = ActivityScheduler(
            store: store,
            onCarriedOut: { report.yield(($0, Date())) },
            logger: Logger(label: "apus.bench.scheduler")
        )
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await scheduler.run() }
            var latenesses: [TimeInterval] = []
            for await (report, stored) in reports {
                latenesses += report.entries.compactMap { $0.transition.dueAt.map(stored.timeIntervalSince) }
                if latenesses.count >= count { break }
            }
            group.cancelAll()
            return latenesses
        }
    }
}
