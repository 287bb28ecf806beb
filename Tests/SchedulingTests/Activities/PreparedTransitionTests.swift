// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import Scheduling
import Synchronization
import Testing

@Suite("What comes due for many activities at one instant", .timeLimit(.minutes(5)))
struct PreparedTransitionTests {
    @Test("is prepared before, and carried out at its time unless it has changed", arguments: StoreInTest.allCases)
    func crowd(kind: StoreInTest) async throws {
        try await SchedulingStage.open(on: kind) { stage in
            let lessons = (0..<60).map { ActivityID(unchecked: "lesson \($0)") }
            let plan = TransitionPlan(
                key: "ending",
                time: .at(stage.now.date.addingTimeInterval(1.5)),
                change: try ActivitySamples.patch(#"{"status":"ending"}"#)
            )
            for (number, lesson) in lessons.enumerated() {
                try await stage.store.addLesson(lesson, phones: [number])
                _ = try await stage.store.plan([plan], for: lesson, of: SchedulingStage.app, now: stage.now.date)
            }
            let store = WatchedStore(stage.store)
            let (reports, report) = AsyncStream.makeStream(of: TransitionReport.self)
            let scheduler = ActivityScheduler(
                store: store,
                pollInterval: .seconds(1),
                clock: stage.clock,
                now: { [now = stage.now] in now.date },
                onCarriedOut: { report.yield($0) },
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await scheduler.run() }
                // The page behind the last one is empty.
                for await isLast in store.pages where isLast { break }
                _ = try await stage.store.withdraw(nil, of: lessons[3], app: SchedulingStage.app, now: stage.now.date)
                let change = try ActivitySamples.patch(#"{"page":7}"#)
                _ = try await stage.store.change(change, lessons[4], now: stage.now.date)
                await stage.clock.sleepers(atLeast: 1)
                stage.now.advance(by: .seconds(1))
                stage.clock.advance(by: .seconds(1))
                // The poll and the alarm.
                await stage.clock.sleepers(atLeast: 2)
                #expect(try await stage.store.lesson(lessons[0]).lifecycle.version == 1)
                stage.now.advance(by: .milliseconds(500))
                stage.clock.advance(by: .milliseconds(500))
                var done: [ActivityID] = []
                for await report in reports {
                    done += report.entries.map(\.activity)
                    if done.count >= 59 { break }
                }
                #expect(Set(done) == Set(lessons).subtracting([lessons[3]]))
                group.cancelAll()
            }
            #expect(store.carriedOut == 58)
            for (number, lesson) in lessons.enumerated() {
                let version = try await stage.store.lesson(lesson).lifecycle.version
                #expect(version == (number == 3 ? 1 : number == 4 ? 3 : 2), "the version of \(lesson)")
                let updates = try await stage.store.story(lesson).filter {
                    $0.detail == "ending" && $0.kind == .updated
                }
                #expect(updates.count == (number == 3 ? 0 : 1), "the changes of \(lesson)")
            }
        }
    }
}

/// A store that tells what is prepared in it.
private final class WatchedStore: ForwardingStore {
    let base: any PushStore

    /// Whether a page of what was prepared had nothing.
    let pages: AsyncStream<Bool>

    private let page: AsyncStream<Bool>.Continuation
    private let count = Mutex(0)

    /// How many transitions were carried out that had been prepared.
    var carriedOut: Int { self.count.withLock { $0 } }

    init(_ base: any PushStore) {
        self.base = base
        (self.pages, self.page) = AsyncStream.makeStream()
    }

    func prepareTransitions(
        dueAt instant: Date,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<PreparedTransitions, Int64> {
        let page = try await self.base.prepareTransitions(dueAt: instant, after: cursor, limit: limit)
        self.page.yield(page.next == nil)
        return page
    }

    func carryOut(_ prepared: PreparedTransitions, now: Date) async throws -> TransitionReport {
        let report = try await self.base.carryOut(prepared, now: now)
        self.count.withLock { $0 += report.entries.count }
        return report
    }
}
