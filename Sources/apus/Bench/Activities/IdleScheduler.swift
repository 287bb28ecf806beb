// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
import PushModel
import PushStore
import Scheduling

/// A scheduler that has nothing to do.
enum IdleScheduler {
    /// The processor time that it takes of a second.
    static func cost(of store: any ScheduleStore, seconds: Int) async throws -> Double {
        let scheduler = ActivityScheduler(store: store, logger: Logger(label: "apus.bench.scheduler"))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await scheduler.run() }
            let before = ProcessUsage.current().cpuSeconds
            try await Task.sleep(for: .seconds(seconds))
            let used = ProcessUsage.current().cpuSeconds - before
            group.cancelAll()
            return used / Double(seconds)
        }
    }

    /// Plans so many transitions of each ride for a time that is hours away.
    static func plan(_ count: Int, forEachOf rides: Int, in store: any ScheduleStore) async throws {
        let app = AppID(unchecked: ActivityPopulation.app)
        let patch = try JSONFragment(json: #"{"status":"ending"}"#)
        let start = Date(timeIntervalSinceNow: 6 * 3600)
        try await ActivityPopulation.each(rides) { number in
            let plans = (0..<count).map { place in
                TransitionPlan(
                    key: TransitionKey(unchecked: "change-\(place)"),
                    time: .at(start.addingTimeInterval(Double(place))),
                    change: ActivityChange(contentState: .patched(patch))
                )
            }
            let id = PushModel.ActivityID(unchecked: ActivityPopulation.name(number))
            let planning = try await store.plan(plans, for: id, of: app, now: Date())
            guard case .planned? = planning else {
                throw CommandFailure("bad_run", "Planning came to \(String(describing: planning)).")
            }
        }
    }
}
