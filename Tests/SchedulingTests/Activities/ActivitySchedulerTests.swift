// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import Scheduling
import ServiceLifecycle
import StoreTesting
import Testing

@Suite("The scheduler of activities", .timeLimit(.minutes(20)))
struct ActivitySchedulerTests {
    /// Runs schedulers beside a body, each with a clock that is ahead by so many seconds.
    private func schedule(
        _ stage: SchedulingStage,
        on store: (any PushStore)? = nil,
        ahead: [Double] = [0],
        onCarriedOut: @escaping @Sendable (TransitionReport) -> Void = { _ in },
        _ body: @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in ahead {
                let scheduler = ActivityScheduler(
                    store: store ?? stage.store,
                    pollInterval: .seconds(1),
                    clock: stage.clock,
                    now: { [now = stage.now] in now.date.addingTimeInterval(seconds) },
                    onCarriedOut: onCarriedOut,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                )
                group.addTask { try await scheduler.run() }
            }
            try await body()
            group.cancelAll()
        }
    }

    private func plan(_ stage: SchedulingStage, seconds: Double) async throws {
        let plan = NewTransition(
            key: "ending",
            time: .at(stage.now.date.addingTimeInterval(seconds)),
            change: try ActivityFixtures.patch(#"{"status":"ending"}"#)
        )
        let id = ActivityFixtures.lesson
        _ = try await stage.store.plan([plan], for: id, of: SchedulingStage.app, now: stage.now.date)
    }

    @Test("does at once what was missed while nobody ran", arguments: TestStoreBackend.allCases)
    func missed(kind: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: kind) { stage in
            try await stage.store.addLesson()
            try await self.plan(stage, seconds: 60)
            stage.now.advance(by: .seconds(600))
            let changes = stage.store.changes()
            try await self.schedule(stage) {
                for await change in changes where change == .batchReady(.urgent) { break }
            }
            #expect(try await stage.store.lesson().lifecycle.version == 2)
        }
    }

    @Test("does what is planned while it runs when it is due, and not before", arguments: TestStoreBackend.allCases)
    func planned(kind: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: kind) { stage in
            try await stage.store.addLesson()
            let changes = stage.store.changes()
            try await self.schedule(stage) { [stage] in
                // The poll sleeps.
                try await stage.clock.timer(dueIn: .seconds(1))
                try await self.plan(stage, seconds: 0.25)
                // The alarm sleeps as well.
                try await stage.clock.timer(dueIn: .milliseconds(250))
                #expect(try await stage.store.lesson().lifecycle.version == 1)
                try await stage.clock.fire(timerDueIn: .milliseconds(250), alsoAdvancing: stage.now)
                for await change in changes where change == .batchReady(.urgent) { break }
            }
            #expect(try await stage.store.lesson().lifecycle.version == 2)
        }
    }

    @Test(
        "does what is due when its alarm rings too early, since the clock was set back meanwhile",
        arguments: TestStoreBackend.allCases
    )
    func earlyAlarm(kind: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: kind) { stage in
            try await stage.store.addLesson()
            let (reports, report) = AsyncStream.makeStream(of: TransitionReport.self)
            try await self.schedule(stage, onCarriedOut: { report.yield($0) }) { [stage] in
                try await stage.clock.timer(dueIn: .seconds(1))
                try await self.plan(stage, seconds: 0.25)
                try await stage.clock.timer(dueIn: .milliseconds(250))
                stage.now.advance(by: .milliseconds(200))
                stage.clock.advance(by: .milliseconds(250))
                // It sleeps for the rest, and not until the poll. Dates do not hold 50 ms exactly.
                try await stage.clock.timers(dueWithin: .milliseconds(51))
                #expect(try await stage.store.lesson().lifecycle.version == 1)
                stage.now.advance(by: .milliseconds(51))
                stage.clock.advance(by: .milliseconds(51))
                let done = await reports.first { _ in true }
                #expect(done?.entries.map(\.transition.key) == ["ending"])
            }
        }
    }

    @Test(
        "does nothing twice and leaves nothing out when the clock is set back and forward",
        arguments: TestStoreBackend.allCases
    )
    func steps(kind: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: kind) { stage in
            try await stage.store.addLesson()
            let start = stage.now.date
            for (key, seconds) in [("a", 60.0), ("b", 120.0), ("c", 7200.0)] {
                let change = try ActivityFixtures.patch(#"{"\#(key)":1}"#)
                let plan = NewTransition(
                    key: TransitionKey(unchecked: key),
                    time: .at(start.addingTimeInterval(seconds)),
                    change: change
                )
                let id = ActivityFixtures.lesson
                _ = try await stage.store.plan([plan], for: id, of: SchedulingStage.app, now: start)
            }
            let (reports, report) = AsyncStream.makeStream(of: TransitionReport.self)
            try await self.schedule(stage, onCarriedOut: { report.yield($0) }) { [stage] in
                var done = reports.makeAsyncIterator()
                // On, back behind what was done, on again, and far ahead.
                for (step, key) in [(61, "a"), (-40, nil), (100, "b"), (7200, "c")] as [(Int, String?)] {
                    stage.now.advance(by: .seconds(step))
                    try await stage.clock.fire(timerDueIn: .seconds(1))
                    guard let key else { continue }
                    let keys = await done.next()?.entries.map(\.transition.key.rawValue)
                    #expect(keys == [key])
                }
            }
            #expect(try await stage.store.lesson().lifecycle.version == 4)
            let timestamp = try await stage.store.lesson().lifecycle.timestamp
            #expect(timestamp >= start.addingTimeInterval(7321).secondsSince1970)
        }
    }

    @Test(
        "two whose clocks are 2 seconds apart do each transition once, and those of an activity in their order",
        arguments: TestStoreBackend.allCases
    )
    func apart(kind: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: kind) { stage in
            // As many as are prepared before they are due.
            let lessons = (0..<60).map { ActivityID(unchecked: "lesson \($0)") }
            for (number, lesson) in lessons.enumerated() {
                try await stage.store.addLesson(lesson, phones: [number])
                let plans = try (1...4).map { place in
                    NewTransition(
                        key: TransitionKey(unchecked: "change \(place)"),
                        // Behind what is due on the clock that is ahead, and soon enough for it to be prepared at once.
                        time: .at(stage.now.date.addingTimeInterval(2.5 + Double(place))),
                        change: try ActivityFixtures.patch(#"{"n":\#(place)}"#),
                        // Time passes by itself, on a busy machine faster than anything is done.
                        misfire: .runLate(within: 86_400)
                    )
                }
                _ = try await stage.store.plan(plans, for: lesson, of: SchedulingStage.app, now: stage.now.date)
            }
            let (reports, report) = AsyncStream.makeStream(of: TransitionReport.self)
            var done: [ActivityID: [String]] = [:]
            let store = WatchedStore(stage.store)
            try await self.schedule(stage, on: store, ahead: [0, 2], onCarriedOut: { report.yield($0) }) { [stage] in
                for await count in store.pages where count > 0 { break }
                // Not on and on: on a busy machine the activities would be over before anything is done.
                let end = stage.now.date.addingTimeInterval(60)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        while true {
                            // The polls of both, which come back whatever else happens.
                            try await stage.clock.timers(2, dueWithin: .seconds(1))
                            if stage.now.date < end { stage.now.advance(by: .milliseconds(500)) }
                            stage.clock.advance(by: .milliseconds(500))
                            await Task.yield()
                        }
                    }
                    var count = 0
                    while count < 240 { count += try await reports.nextElement().entries.count }
                    group.cancelAll()
                }
            }
            #expect(store.prepared >= 50)
            for lesson in lessons {
                let story = try await stage.store.story(lesson).filter { $0.kind == .updated }
                done[lesson] = story.compactMap(\.detail)
                #expect(done[lesson] == (1...4).map { "change \($0)" })
                #expect(try await stage.store.lesson(lesson).lifecycle.version == 5)
            }
        }
    }
}
