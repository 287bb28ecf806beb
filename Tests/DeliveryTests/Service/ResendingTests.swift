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

@Suite("Sending again", .timeLimit(.minutes(20)))
struct ResendingTests {
    @Test(
        "a target that APNs asks to come back later with does so, under its apns-id, and the others do not wait for it",
        arguments: [
            (.tooManyRequests, 60), (.serviceUnavailable, 900), (.internalServerError, 900),
        ] as [(RejectionReason, Int)]
    )
    func later(reason: RejectionReason, seconds: Int) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 2
                let phones = try (0..<5).map { _ in try stage.boot(on: simulator) }
                let match = SimulatorFault.Match(token: phones[1].target.token.hex)
                simulator.inject(SimulatorFault(.reject(Rejection(reason)), match: match, count: 1))
                let plan = try stage.plan(phones.map(\.target))
                let id = plan.batches[0].id
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    try await stage.observed.releases(of: [id])
                    let status = try await stage.status(of: plan)
                    #expect(status.counts == OutcomeCounts(delivered: 4))
                    #expect(status.batches[0].lifecycle.deferred.map(\.index) == [1])
                    let early = stage.now.date.addingTimeInterval(Double(seconds) - 1)
                    let claimed = try await stage.store.claim(
                        lane: .urgent,
                        limit: 1,
                        worker: "early",
                        leaseDuration: .seconds(60),
                        now: early
                    )
                    #expect(claimed.isEmpty)
                    // The delay with the most jitter.
                    stage.now.advance(by: .seconds(seconds + seconds / 4 + 1))
                    try await stage.poll()
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(delivered: 5))
                }
                for (index, phone) in phones.enumerated() {
                    let received = simulator.device(phone.device.id)?.notifications.map(\.apnsID)
                    #expect(received == [id.apnsID(at: index)])
                }
            }
        }
    }

    @Test("a target that APNs would take back only after the batch's time fails at once, by what APNs said")
    func tooLate() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                simulator.inject(SimulatorFault(.reject(Rejection(.serviceUnavailable))))
                let targets = try stage.bootTargets(1, on: simulator)
                let plan = try stage.plan(targets, expiresAt: stage.now.date.addingTimeInterval(600))
                try await stage.deliver { [stage] in
                    let counts = try await stage.send(plan).counts
                    #expect(counts == OutcomeCounts(rejected: [.serviceUnavailable: 1]))
                }
                #expect(simulator.statistics.faulted == 1)
            }
        }
    }

    @Test("what had no answer is tried again after a back-off, and the last attempt is the outcome", arguments: [2, 3])
    func again(drops: Int) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.maximumResends = 0
                simulator.inject(SimulatorFault(.drop, count: drops))
                let plan = try stage.plan(try stage.bootTargets(1, on: simulator))
                try await stage.deliver { [stage] in
                    let changes = stage.store.changes()
                    try await stage.accept(plan)
                    try await stage.whileTimePasses { [stage] in _ = try await stage.settled(plan, changes) }
                    let counts = try await stage.status(of: plan).counts
                    let expected = drops < 3 ? OutcomeCounts(delivered: 1) : OutcomeCounts(failed: [.connectionLost: 1])
                    #expect(counts == expected)
                }
                #expect(simulator.statistics.faulted == drops)
            }
        }
    }

    @Test("what was deferred when a worker died is sent by the next one, with the same apns-id")
    func survivesDeath() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let phones = try (0..<3).map { _ in try stage.boot(on: simulator) }
                let plan = try stage.plan(phones.map(\.target))
                try await stage.accept(plan)
                let claimed = try await stage.claim(.urgent, by: "dead")
                let deferral = Deferral(index: 1, delays: 1, notBefore: stage.now.date.addingTimeInterval(100))
                try await stage.store.settle(
                    Settlement(of: claimed, range: 0..<3, failures: [], deferrals: [deferral]),
                    now: stage.now.date
                )
                stage.now.advance(by: .seconds(101))
                let changes = stage.store.changes()
                try await stage.deliver { [stage] in
                    let counts = try await stage.settled(plan, changes).counts
                    #expect(counts == OutcomeCounts(delivered: 3))
                }
                let received = phones.map { simulator.device($0.device.id)?.notifications.map(\.apnsID) }
                #expect(received == [[], [plan.batches[0].id.apnsID(at: 1)], []])
            }
        }
    }
}
