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

    /// How often it is looked whether anything is left to be carried out.
    private static let look = Duration.milliseconds(50)

    /// From the time of each until it is stored, with the batch of what it sends.
    ///
    /// Unit: milliseconds.
    let milliseconds: Percentiles

    /// How many pushes were not made, as the timelines tell.
    let lost: Int

    /// How many changes and pushes were made that had been made before, as the timelines tell.
    let duplicated: Int

    /// Plans one transition for each ride, and has them carried out.
    ///
    /// - Parameters:
    ///   - count: how many rides there are.
    ///   - isSpread: whether their times are spread over a second; they are due at the same instant otherwise.
    ///   - patience: how long after the last is due it is waited for at most: what is not carried out by then is lost.
    ///   - store: the store.
    /// - Returns: how late each was.
    /// - Throws: what the store throws.
    static func run(
        _ count: Int,
        isSpread: Bool,
        patience: Duration = .seconds(60),
        in store: any ScheduleStore
    ) async throws -> MeasuredSchedule {
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
        let last = isSpread ? first.addingTimeInterval(1) : first
        let latenesses = await self.latenesses(of: count, dueBy: last, patience, in: store)
        var measured = (lost: 0, duplicated: 0)
        for number in 0..<count {
            let id = PushModel.ActivityID(unchecked: ActivityPopulation.name(number))
            let story = try await store.timeline(of: id, app: app, after: nil, limit: 1000).elements
            let changes = story.filter { $0.kind == .updated && $0.detail == "ending" }
            let pushes = changes.reduce(0) { sum, change in
                sum + change.sendings.reduce(0) { $0 + $1.targets.count }
            }
            if pushes == 0 { measured.lost += 1 }
            measured.duplicated += max(0, changes.count - 1, pushes - 1)
        }
        return MeasuredSchedule(
            milliseconds: Percentiles(latenesses.map { 1000 * $0 }),
            lost: measured.lost,
            duplicated: measured.duplicated
        )
    }

    /// Runs a scheduler until it has carried out everything, or nothing is left that it would, or patience is at its end.
    private static func latenesses(
        of count: Int,
        dueBy last: Date,
        _ patience: Duration,
        in store: any ScheduleStore
    ) async -> [TimeInterval] {
        let (reports, report) = AsyncStream.makeStream(of: (TransitionReport, Date).self)
        let scheduler = ActivityScheduler(
            store: store,
            onCarriedOut: { report.yield(($0, Date())) },
            logger: Logger(label: "apus.bench.scheduler")
        )
        return await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await scheduler.run() }
            group.addTask {
                defer { report.finish() }
                try await Task.sleep(for: .seconds(max(0, last.timeIntervalSinceNow)))
                let end = ContinuousClock.now + patience
                while ContinuousClock.now < end {
                    try await Task.sleep(for: self.look)
                    if let next = try await store.nextActivityTime(), next <= Date() { continue }
                    // What was stored just now has yet to be told.
                    try await Task.sleep(for: self.look * 10)
                    break
                }
            }
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
