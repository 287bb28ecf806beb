// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import Scheduling
import StoreTesting
import Synchronization
import Testing

@Suite("The scheduler of activities, when the store cannot be reached", .timeLimit(.minutes(20)))
struct OutageTests {
    @Test(
        "makes up for two and a half minutes as the misfire policies say, once each and in order",
        arguments: TestStoreBackend.allCases
    )
    func long(kind: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: kind) { stage in
            try await stage.store.addLesson()
            try await stage.store.addLesson("other", phones: [2])
            let plans: [(TransitionKey, Double, TransitionMisfirePolicy)] = [
                ("a", 20, .coalesce), ("b", 40, .skip), ("c", 60, .runLate(within: 600)),
                ("d", 70, .runLate(within: 75)),
                ("e", 80, .coalesce), ("f", 130, .skip), ("g", 7200, .coalesce),
            ]
            for (key, seconds, misfire) in plans {
                let plan = NewTransition(
                    key: key,
                    time: .at(stage.now.date.addingTimeInterval(seconds)),
                    change: try ActivityFixtures.patch(#"{"\#(key)":1}"#),
                    misfire: misfire
                )
                _ = try await stage.store.plan(
                    [plan],
                    for: ActivityFixtures.lesson,
                    of: SchedulingStage.app,
                    now: stage.now.date
                )
            }
            let isAway = Mutex(true)
            let (refused, refusal) = AsyncStream.makeStream(of: Void.self)
            let probe = StoreProbe(before: { _ in
                guard isAway.withLock({ $0 }) else { return }
                refusal.yield()
                throw StoreError(code: .unavailable, message: "the database cannot be reached")
            })
            var refusals = refused.makeAsyncIterator()
            let (reports, report) = AsyncStream.makeStream(of: TransitionReport.self)
            let scheduler = ActivityScheduler(
                store: ProbedStore(stage.store, probe),
                clock: stage.clock,
                now: { [now = stage.now] in now.date },
                onCarriedOut: { report.yield($0) },
                logger: .silent
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await scheduler.run() }
                // It asks each second, in vain; the API, which has a connection of its own, changes what it is asked to.
                for second in 0..<150 {
                    _ = await refusals.next()
                    try await stage.clock.timer(dueIn: .seconds(1))
                    stage.now.advance(by: .seconds(1))
                    if second == 100 {
                        let change = try ActivityFixtures.patch(#"{"api":1}"#)
                        #expect(try await stage.store.change(change, "other", now: stage.now.date).sent == 1)
                    }
                    if second == 149 { isAway.withLock { $0 = false } }
                    stage.clock.advance(by: .seconds(1))
                }
                var ended: [TransitionKey: ActivityTransition.State] = [:]
                var order: [TransitionKey] = []
                for await report in reports {
                    for entry in report.entries {
                        #expect(ended.updateValue(entry.transition.state, forKey: entry.transition.key) == nil)
                        if entry.transition.state == .completed { order.append(entry.transition.key) }
                    }
                    if ended.count == 6 { break }
                }
                #expect(order == ["a", "c", "e", "f"])
                #expect(ended["b"] == .skipped)
                #expect(ended["d"] == .skipped)
                group.cancelAll()
            }
            let lesson = try await stage.store.lesson()
            let state = String(decoding: lesson.lifecycle.contentState?.bytes ?? [], as: UTF8.self)
            #expect(state == #"{"a":1,"c":1,"e":1,"f":1,"status":"active"}"#)
            let left = try await stage.store.transitions(of: ActivityFixtures.lesson, app: SchedulingStage.app)
            #expect(left.filter { $0.state == .scheduled }.map(\.key) == ["g"])
        }
    }
}
