// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@testable import apus_bench

@Suite("The measurement of planned transitions", .timeLimit(.minutes(20)))
struct MeasuredScheduleTests {
    /// Keeps four rides in a store, and measures four transitions of these through another one over it.
    private func measure(
        on kind: TestStoreBackend,
        through wrap: (any PushStore & SQLBacked) -> any PushStore
    ) async throws -> ScheduleMeasurement {
        try await withTemporaryDirectory { directory in
            try await kind.withStore(in: URL(fileURLWithPath: directory)) { store in
                try await ActivityPopulation(count: 4).fill(store)
                return try await ScheduleMeasurement.run(4, isSpread: false, in: wrap(store))
            }
        }
    }

    @Test("counts neither a loss nor a repetition where each is carried out once", arguments: TestStoreBackend.allCases)
    func whole(kind: TestStoreBackend) async throws {
        let measured = try await self.measure(on: kind) { $0 }
        #expect(measured.milliseconds.count == 4)
        #expect(measured.lost == 0)
        #expect(measured.duplicated == 0)
    }

    @Test("the measurement ends and reports a transition that was not executed", arguments: TestStoreBackend.allCases)
    func lost(kind: TestStoreBackend) async throws {
        let measured = try await self.measure(on: kind) { ForgetfulStore(base: $0) }
        #expect(measured.milliseconds.count == 3)
        #expect(measured.lost == 1)
        #expect(measured.duplicated == 0)
    }

    @Test("the measurement reports a transition that was executed twice", arguments: TestStoreBackend.allCases)
    func duplicated(kind: TestStoreBackend) async throws {
        let measured = try await self.measure(on: kind) { RepeatingStore(base: $0) }
        #expect(measured.lost == 0)
        #expect(measured.duplicated == 1)
    }
}

/// A store that says that it has planned what it forgets, for one ride.
private struct ForgetfulStore: StoreDecorator {
    let base: any PushStore & SQLBacked

    func plan(
        _ plans: [NewTransition],
        for activity: PushModel.ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> [ActivityTransition]? {
        if activity.rawValue == ActivityPopulation.name(1) { return [] }
        return try await self.base.plan(plans, for: activity, of: app, now: now)
    }
}

/// A store that carries out once more what it has carried out for one ride.
private struct RepeatingStore: StoreDecorator {
    let base: any PushStore & SQLBacked

    func carryOutTransitions(limit: Int, only activity: Int64?, now: Date) async throws -> TransitionReport {
        var report = try await self.base.carryOutTransitions(limit: limit, only: activity, now: now)
        for entry in report.entries where entry.activity.rawValue == ActivityPopulation.name(2) {
            let again = NewTransition(key: "ending", time: .at(now), change: entry.transition.change)
            _ = try await self.base.plan([again], for: entry.activity, of: entry.app, now: now)
            report.entries += try await self.base.carryOutTransitions(limit: limit, only: activity, now: now).entries
        }
        return report
    }
}
