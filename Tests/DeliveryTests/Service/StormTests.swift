// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import PushModel
import SQLiteStore
import Telemetry
import Testing

@Suite("Storms of overload", .timeLimit(.minutes(20)))
struct StormTests {
    @Test(
        "APNs is left alone while it answers with overload, and gets a small slice after the pause",
        arguments: [Lane.urgent, .bulk],
        [RejectionReason.serviceUnavailable, .internalServerError, .tooManyRequests]
    )
    func storm(lane: Lane, reason: RejectionReason) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.breaker.stormCount = 20
                simulator.inject(SimulatorFault(.reject(Rejection(reason)), count: 25))
                let plan = try stage.plan(try stage.bootTargets(200, on: simulator), lane: lane)
                let id = plan.batches[0].id
                try await stage.deliver { [stage] in
                    try await stage.accept(plan)
                    let message = try await stage.log.first(containing: "Circuit opened: APNs is overloaded")
                    #expect(message.contains(reason.rawValue))
                    try await stage.observed.releases(of: [id])
                    // Two probes of ten: nobody had heard a good word of APNs yet.
                    #expect(simulator.statistics.faulted == 20)
                    let waiting = try await stage.status(of: plan)
                    #expect(waiting.remaining == 200)
                    #expect(waiting.batches[0].lifecycle.cursor == 20)

                    // Half of the next probe is answered with overload too: a longer pause.
                    stage.now.advance(by: .seconds(5))
                    try await stage.poll()
                    try await stage.observed.releases(of: [id])
                    #expect(simulator.statistics.faulted == 25)
                    #expect(simulator.statistics.delivered == 5)

                    stage.now.advance(by: .seconds(10))
                    try await stage.poll()
                    try await stage.observed.releases(of: [id])
                    try await stage.log.first(containing: "Circuit closed; sending resumed")
                    // What APNs asked to send later waits for that.
                    let status = try await stage.status(of: plan)
                    #expect(status.counts == OutcomeCounts(delivered: 175))
                    #expect(status.batches[0].lifecycle.deferred.count == 25)
                }
                let metrics = try PrometheusText(stage.metrics.text())
                #expect(metrics.value("apus_delivery_circuit_breaker_opened_total", ["cause": "overload"]) == 1)
            }
        }
    }

    @Test("a token that APNs has had enough of holds up no other")
    func crowdedToken() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.breaker.stormCount = 5
                let (_, target) = try stage.boot(on: simulator)
                let reject = SimulatorFault.Action.reject(Rejection(.tooManyRequests))
                simulator.inject(SimulatorFault(reject, match: .init(token: target.token.hex)))
                let others = try stage.bootTargets(3, on: simulator)
                try await stage.deliver { [stage] in
                    for _ in 0..<12 {
                        let plan = try stage.plan([target])
                        try await stage.accept(plan)
                        try await stage.observed.releases(of: [plan.batches[0].id])
                    }
                    #expect(try await stage.send(try stage.plan(others)).counts == OutcomeCounts(delivered: 3))
                }
                let metrics = try PrometheusText(stage.metrics.text())
                #expect(metrics.value("apus_delivery_circuit_breaker_opened_total", ["cause": "overload"]) == nil)
            }
        }
    }
}
