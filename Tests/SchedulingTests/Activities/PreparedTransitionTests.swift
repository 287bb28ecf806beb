// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import StoreTesting
import Telemetry
import Testing

@testable import Scheduling

@Suite("What comes due for many activities at one instant", .timeLimit(.minutes(20)))
struct PreparedTransitionTests {
    @Test("is prepared before, and carried out at its time unless it has changed", arguments: TestStoreBackend.allCases)
    func crowd(kind: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: kind) { stage in
            let lessons = try await self.addLessons(stage, endingIn: 1.5)
            let store = WatchedStore(stage.store)
            let metrics = MetricsRegistry()
            let (reports, report) = AsyncStream.makeStream(of: TransitionReport.self)
            let scheduler = ActivityScheduler(
                store: store,
                pollInterval: .seconds(1),
                clock: stage.clock,
                now: { [now = stage.now] in now.date },
                onCarriedOut: { report.yield($0) },
                metrics: metrics,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await scheduler.run() }
                // The page behind the last one is empty.
                for await count in store.pages where count == 0 { break }
                _ = try await stage.store.cancelTransitions(
                    nil,
                    of: lessons[3],
                    app: SchedulingStage.app,
                    now: stage.now.date
                )
                let change = try ActivityFixtures.patch(#"{"page":7}"#)
                _ = try await stage.store.change(change, lessons[4], now: stage.now.date)
                // The poll; then the alarm sleeps.
                try await stage.clock.fire(timerDueIn: .seconds(1), alsoAdvancing: stage.now)
                try await stage.clock.timer(dueIn: .milliseconds(500))
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
            let text = try PrometheusText(metrics.text())
            #expect(text.value("apus_scheduling_transitions_prepared_total") == 60)
            #expect(text.value("apus_scheduling_transitions_executed_total", ["path": "prepared"]) == 58)
            #expect(text.value("apus_scheduling_transitions_executed_total", ["path": "direct"]) == 1)
        }
    }

    @Test(
        "is neither kept twice nor carried out before its time when the clock is set back",
        arguments: TestStoreBackend.allCases
    )
    func setBack(kind: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: kind) { stage in
            let lessons = try await self.addLessons(stage, endingIn: 1.9)
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
                for step in 1...3 {
                    for await count in store.pages where count == 60 { break }
                    for await count in store.pages where count == 0 { break }
                    let back = stage.now.advance(by: .seconds(-3600))
                    // The first of these looks may have begun before the clock was set back.
                    for _ in 1...2 {
                        try await stage.clock.fire(timerDueIn: .seconds(1))
                        for await time in store.looks where time == back { break }
                    }
                    let version = try await stage.store.lesson(lessons[0]).lifecycle.version
                    #expect(version == 1, "in step \(step)")
                    // It is looked for what can be prepared when the time is another one than before.
                    stage.now.advance(by: .seconds(3600) + .milliseconds(300))
                    try await stage.clock.fire(timerDueIn: .seconds(1))
                }
                for await count in store.pages where count == 60 { break }
                for await count in store.pages where count == 0 { break }
                #expect(store.parts == 0)
                stage.now.advance(by: .milliseconds(1001))
                try await stage.clock.fire(timerDueIn: .seconds(1))
                var done: [ActivityID] = []
                for await report in reports {
                    done += report.entries.map(\.activity)
                    if done.count >= 60 { break }
                }
                #expect(Set(done) == Set(lessons))
                group.cancelAll()
            }
            #expect(store.prepared == 240)
            #expect(store.parts == 1, "what was prepared before the clock was set back is kept")
            #expect(store.carriedOut == 60)
        }
    }

    @Test("is kept within bounds: of activities, of phones and of bytes")
    func bounds() async throws {
        try await SchedulingStage.open { stage in
            _ = try await self.addLessons(stage, endingIn: 1)
            let instant = stage.now.date.addingTimeInterval(1)
            let parts = try await stage.store.prepareTransitions(dueAt: instant, after: nil, limit: 100).elements
            let size = parts.reduce(0) { $0 + $1.size }
            #expect(parts.map(\.count) == [60])
            #expect(size > 60 * 3000)
            /// Before and after these are kept.
            func room(_ bounds: PreparationCache.Bounds, for count: Int = 1) -> [Bool] {
                let book = PreparationCache(farthest: 4, bounds: bounds)
                let before = book.hasRoom(for: count)
                book.add(parts, for: instant, through: nil)
                return [before, book.hasRoom(for: count)]
            }
            #expect(room(.init(activities: 61)) == [true, true])
            #expect(room(.init(activities: 60)) == [true, false])
            #expect(room(.init(activities: 60), for: 61) == [false, false])
            #expect(room(.init(phones: 61)) == [true, true])
            #expect(room(.init(phones: 60)) == [true, false])
            #expect(room(.init(size: size + 1)) == [true, true])
            #expect(room(.init(size: size)) == [true, false])
        }
    }

    @Test("is forgotten with its place when it is farther ahead than anything is prepared, and given out once")
    func forgotten() async throws {
        try await SchedulingStage.open { stage in
            _ = try await self.addLessons(stage, endingIn: 1)
            let instant = stage.now.date.addingTimeInterval(1)
            let page = try await stage.store.prepareTransitions(dueAt: instant, after: nil, limit: 100)
            let book = PreparationCache(farthest: 4)
            book.add(page.elements, for: instant, through: page.next)
            #expect(book.place(of: instant) == page.next)
            #expect(book.take(by: instant.addingTimeInterval(-4)).isEmpty)
            #expect(book.place(of: instant) == page.next)
            #expect(book.take(by: instant).map(\.count) == [60])
            #expect(book.take(by: instant).isEmpty)
            #expect(book.place(of: instant) == page.next, "it would be prepared anew while it comes")
            #expect(book.take(by: instant.addingTimeInterval(4.001)).isEmpty)
            #expect(book.place(of: instant) == nil)
            book.add(page.elements, for: instant, through: page.next)
            #expect(book.take(by: instant.addingTimeInterval(-4.001)).isEmpty)
            #expect(book.place(of: instant) == nil)
            #expect(book.take(by: instant).isEmpty)
        }
    }

    /// Adds 60 lessons with a phone each, all of which are ending in so many seconds.
    private func addLessons(_ stage: SchedulingStage, endingIn seconds: Double) async throws -> [ActivityID] {
        let lessons = (0..<60).map { ActivityID(unchecked: "lesson \($0)") }
        let plan = NewTransition(
            key: "ending",
            time: .at(stage.now.date.addingTimeInterval(seconds)),
            change: try ActivityFixtures.patch(#"{"status":"ending"}"#)
        )
        for (number, lesson) in lessons.enumerated() {
            try await stage.store.addLesson(lesson, phones: [number])
            _ = try await stage.store.plan([plan], for: lesson, of: SchedulingStage.app, now: stage.now.date)
        }
        return lessons
    }
}
