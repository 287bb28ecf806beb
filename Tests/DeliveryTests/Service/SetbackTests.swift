// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Delivery
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Batches that cannot be carried out", .timeLimit(.minutes(20)))
struct SetbackTests {
    private static func refusals(_ code: StoreError.Code, _ count: Int) -> [StoreError] {
        Array(repeating: StoreError(code: code, message: "the store will not have it"), count: count)
    }

    @Test(
        "a batch whose outcomes the store refuses is sent a few times, longer apart, and then fails with a reason",
        arguments: [StoreError.Code.corrupt, .invalid, .notFound, .conflict]
    )
    func refused(code: StoreError.Code) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.observed.failSettling(Self.refusals(code, 100))
                let plan = try stage.plan(try stage.bootTargets(2, on: simulator))
                let id = plan.batches[0].id
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    for count in 1...2 {
                        try await stage.observed.first { $0 == .setBack(id) }
                        let lifecycle = try await stage.status(of: plan).batches[0].lifecycle
                        #expect(lifecycle.setbacks == count)
                        stage.now.advance(by: .seconds(31))
                        try await stage.poll()
                    }
                    let status = try await stage.settled(plan, changes)
                    #expect(status.batches[0].lifecycle.state == .failed(.storeError))
                    #expect(status.counts == OutcomeCounts(failed: [.storeError: 2]))
                    let message = try await stage.log.first(containing: "Batch failed")
                    #expect(message.contains(id.description))
                    let outcome = try await stage.store.outcome(of: id.apnsID(at: 1))
                    #expect(outcome?.outcome == .failed(.storeError))
                }
                #expect(simulator.statistics.delivered == 2 * 3)
            }
        }
    }

    @Test("a batch whose stored count of setbacks is corrupt fails with a reason")
    func damagedCount() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.observed.failSettling(Self.refusals(.corrupt, 1))
                stage.observed.damageSetbacks()
                let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    let status = try await stage.settled(plan, changes)
                    #expect(status.batches[0].lifecycle.state == .failed(.storeError))
                }
            }
        }
    }

    @Test("a batch is not sent for ever either when the store cannot even count the setbacks")
    func uncounted() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.observed.failSettling(Self.refusals(.corrupt, 100))
                stage.observed.failEnding(Self.refusals(.corrupt, 3))
                let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    for _ in 0..<3 {
                        try await stage.log.first(containing: "waiting until its lease expires")
                        try await stage.poll()
                    }
                    let status = try await stage.settled(plan, changes)
                    #expect(status.batches[0].lifecycle.state == .failed(.storeError))
                }
                #expect(simulator.statistics.delivered == 3)
            }
        }
    }
}
