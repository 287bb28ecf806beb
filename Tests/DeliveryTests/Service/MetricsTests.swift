// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import SQLiteStore
import Telemetry
import Testing

@Suite("What delivery counts", .timeLimit(.minutes(20)))
struct MetricsTests {
    @Test("attempts, outcomes by reason, delays by lane, the store's time, prunes and suspects")
    func counted() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let targets = try stage.bootTargets(5, on: simulator)
                for (target, reason) in zip(targets, [RejectionReason.unregistered, .badDeviceToken]) {
                    try await stage.register(target, now: stage.now.date)
                    let match = SimulatorFault.Match(token: target.token.hex)
                    let since = stage.now.date.millisecondsSince1970 + 1000
                    let rejection = Rejection(reason, inactiveSince: reason == .unregistered ? since : nil)
                    simulator.inject(SimulatorFault(.reject(rejection), match: match))
                }
                let plan = try stage.plan(targets, lane: .bulk, createdAt: stage.now.date.addingTimeInterval(-40))
                try await stage.deliver { [stage] in
                    _ = try await stage.send(plan)
                }
                let metrics = try PrometheusText(stage.metrics.text())
                let bulk = ["lane": "bulk"]
                #expect(metrics.value("apus_delivery_attempts_total", bulk) == 5)
                #expect(metrics.value("apus_delivery_attempts_total", ["lane": "urgent"]) == 0)
                let outcomes = [("delivered", ""), ("rejected", "Unregistered"), ("rejected", "BadDeviceToken")]
                let counts = outcomes.map {
                    metrics.value("apus_delivery_outcomes_total", ["outcome": $0.0, "reason": $0.1])
                }
                #expect(counts == [3, 1, 1])
                #expect(metrics.value("apus_delivery_devices_invalidated_total") == 1)
                #expect(metrics.value("apus_delivery_devices_suspected_total") == 1)
                #expect(metrics.value("apus_delivery_batches_total", ["result": "completed"]) == 1)
                #expect(metrics.value("apus_delivery_queue_wait_seconds_bucket", ["lane": "bulk", "le": "30"]) == 0)
                #expect(metrics.value("apus_delivery_queue_wait_seconds_bucket", ["lane": "bulk", "le": "60"]) == 1)
                #expect(metrics.value("apus_delivery_settlement_delay_seconds_count", bulk) == 1)
                #expect(metrics.value("apus_store_settle_duration_seconds_count") == 1)
                #expect((metrics.value("apus_store_claim_duration_seconds_count") ?? 0) >= 1)
                #expect(metrics.value("apus_delivery_in_flight") == 0)
            }
        }
    }

    @Test("what ends by a claim, since its time is over")
    func expired() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let targets = try stage.bootTargets(3, on: simulator)
                let plan = try stage.plan(targets, expiresAt: stage.now.date.addingTimeInterval(-1))
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts == OutcomeCounts(failed: [.expired: 3]))
                    try await stage.observed.first { $0 == .claimed(.urgent, 0) }
                }
                let metrics = try PrometheusText(stage.metrics.text())
                let expired = ["outcome": "failed", "reason": "expired"]
                #expect(metrics.value("apus_delivery_outcomes_total", expired) == 3)
            }
        }
    }

    @Test("what APNs asks to send later, by its reason, which is no outcome")
    func putOff() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let targets = try stage.bootTargets(6, on: simulator)
                let reasons: [RejectionReason] = [.tooManyRequests, .serviceUnavailable, .badDeviceToken]
                for (target, reason) in zip(targets, reasons) {
                    let match = SimulatorFault.Match(token: target.token.hex)
                    simulator.inject(SimulatorFault(.reject(Rejection(reason)), match: match))
                }
                let plan = try stage.plan(targets)
                try await stage.deliver { [stage] in
                    try await stage.accept(plan)
                    try await stage.observed.releases(of: [plan.batches[0].id])
                }
                let metrics = try PrometheusText(stage.metrics.text())
                let deferrals = metrics.families["apus_delivery_deferrals_total"]?.samples ?? []
                let counts = Dictionary(uniqueKeysWithValues: deferrals.map { ($0.labels, $0.value) })
                #expect(counts == [["reason": "TooManyRequests"]: 1, ["reason": "ServiceUnavailable"]: 1])
                let outcomes = metrics.families["apus_delivery_outcomes_total"]?.samples.filter { $0.value > 0 } ?? []
                #expect(Set(outcomes.compactMap { $0.labels["reason"] }) == ["", "BadDeviceToken"])
            }
        }
    }

    @Test("outcomes once that were booked by a transaction whose answer was lost")
    func answerLost() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.pollInterval = .seconds(3600)
                stage.observed.loseAnswers([StoreError(code: .locked, message: "nobody knows whether it was taken")])
                let plan = try stage.plan(try stage.bootTargets(2, on: simulator))
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts == OutcomeCounts(delivered: 2))
                    try await stage.log.first(containing: "Failed to settle a chunk")
                    try await stage.clock.timers(dueWithin: .seconds(1))
                    stage.clock.advance(by: .seconds(1))
                    try await stage.observed.first { if case .settled = $0 { true } else { false } }
                }
                let metrics = try PrometheusText(stage.metrics.text())
                let delivered = ["outcome": "delivered", "reason": ""]
                #expect(metrics.value("apus_delivery_outcomes_total", delivered) == 2)
            }
        }
    }
}
