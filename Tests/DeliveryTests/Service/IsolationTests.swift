// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Who waits for whom", .timeLimit(.minutes(20)))
struct IsolationTests {
    @Test(
        "what cannot be reached holds nothing else up, however much of it waits and before it counts as an outage",
        arguments: TestStoreBackend.allCases
    )
    func deadDestination(on store: TestStoreBackend) async throws {
        try await withTestSimulator(environment: .sandbox) { sandbox in
            try await withTestSimulator(environment: .production) { production in
                try await DeliveryStage.open(on: store) { stage in
                    try await stage.use(sandbox)
                    try await stage.use(production)
                    stage.configuration.endpoints[.production]?.trust = .system
                    // Longer than the test may take.
                    stage.configuration.sendDeadline = .seconds(600)
                    stage.configuration.bulkBatches = 1
                    stage.configuration.maxInFlight = 20
                    let dead = try stage.bootTargets(50, on: production)
                    let deadPlans = try (0..<20).map { _ in try stage.plan(dead, lane: .bulk) }
                    for plan in deadPlans { try await stage.accept(plan) }
                    let alive = try stage.plan(try stage.bootTargets(50, on: sandbox), lane: .bulk)
                    try await stage.deliver { [stage] in
                        let counts = try await stage.send(alive).counts
                        #expect(counts == OutcomeCounts(delivered: 50))
                    }
                    for plan in deadPlans {
                        let status = try await stage.status(of: plan)
                        #expect(status.remaining == 50)
                    }
                }
            }
        }
    }

    @Test(
        "a destination that dies in the middle of a campaign leaves room for another app's",
        arguments: TestStoreBackend.allCases
    )
    func dyingDestination(on store: TestStoreBackend) async throws {
        try await withTestSimulator(environment: .sandbox) { sandbox in
            try await withTestSimulator(environment: .production) { production in
                try await DeliveryStage.open(on: store) { stage in
                    try await stage.use(sandbox)
                    try await stage.use(production)
                    stage.configuration.bulkBatches = 2
                    stage.configuration.maxInFlight = 40
                    let dying = try stage.bootTargets(50, on: production)
                    let proof = try stage.plan(Array(dying.prefix(1)), lane: .bulk)
                    let campaign = try (0..<5).map { _ in try stage.plan(dying, lane: .bulk) }
                    let alive = try stage.plan(try stage.bootTargets(50, on: sandbox), lane: .bulk)
                    try await stage.deliver { [stage] in
                        _ = try await stage.send(proof)
                        let silence = production.inject(SimulatorFault(.hold))
                        var arrivals = production.deliveries().makeAsyncIterator()
                        for plan in campaign { try await stage.accept(plan) }
                        _ = await arrivals.next()
                        let counts = try await stage.send(alive).counts
                        #expect(counts == OutcomeCounts(delivered: 50))
                        for plan in campaign {
                            let status = try await stage.status(of: plan)
                            #expect(!status.isDone)
                        }
                        // A shutdown waits for what is in flight.
                        production.removeFault(silence)
                    }
                }
            }
        }
    }
}
