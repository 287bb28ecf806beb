// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import Scheduling
import ServiceLifecycle
import Testing

@Suite("The scheduler of activities", .timeLimit(.minutes(5)))
struct ActivitySchedulerTests {
    /// Runs a scheduler beside a body.
    private func schedule(_ stage: SchedulingStage, _ body: @Sendable () async throws -> Void) async throws {
        let scheduler = ActivityScheduler(
            store: stage.store,
            pollInterval: .seconds(1),
            clock: stage.clock,
            now: { [now = stage.now] in now.date },
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await scheduler.run() }
            try await body()
            group.cancelAll()
        }
    }

    private func plan(_ stage: SchedulingStage, seconds: Double) async throws {
        let plan = TransitionPlan(
            key: "ending",
            time: .at(stage.now.date.addingTimeInterval(seconds)),
            change: try ActivitySamples.patch(#"{"status":"ending"}"#)
        )
        let id = ActivitySamples.lesson
        _ = try await stage.store.plan([plan], for: id, of: SchedulingStage.app, now: stage.now.date)
    }

    @Test("does at once what was missed while nobody ran")
    func missed() async throws {
        try await SchedulingStage.open { stage in
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

    @Test("does what is planned while it runs when it is due, and not before")
    func planned() async throws {
        try await SchedulingStage.open { stage in
            try await stage.store.addLesson()
            let changes = stage.store.changes()
            try await self.schedule(stage) { [stage] in
                // The poll sleeps.
                await stage.clock.sleepers(atLeast: 1)
                try await self.plan(stage, seconds: 0.25)
                // The alarm sleeps as well.
                await stage.clock.sleepers(atLeast: 2)
                #expect(try await stage.store.lesson().lifecycle.version == 1)
                stage.now.advance(by: .milliseconds(250))
                stage.clock.advance(by: .milliseconds(250))
                for await change in changes where change == .batchReady(.urgent) { break }
            }
            #expect(try await stage.store.lesson().lifecycle.version == 2)
        }
    }
}
