// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import PushModel
import PushStore
import StoreTesting
import Telemetry
import Testing

@testable import Scheduling

@Suite("The metrics of activities")
struct ActivityMetricsTests {
    @Test("count a transition whose stored times are corrupt")
    func damagedTimes() throws {
        let registry = MetricsRegistry()
        let time = Date(timeIntervalSince1970: -9e15)
        let transition = ActivityTransition(
            key: "a",
            time: .at(time),
            change: try ActivityFixtures.patch(#"{"a":1}"#),
            state: .completed,
            dueAt: time,
            scheduledAt: time
        )
        let entry = TransitionReport.Entry(
            app: SchedulingStage.app,
            activity: ActivityFixtures.lesson,
            transition: transition
        )
        ActivityMetrics(registry).executed(TransitionReport(entries: [entry]), .direct, at: Date())
        let text = try PrometheusText(registry.text())
        #expect(text.value("apus_scheduling_transitions_total", ["state": "completed"]) == 1)
    }
}
