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

@Suite("Sending", .timeLimit(.minutes(20)))
struct SendingTests {
    @Test("every device receives the notification, under its own apns-id, and all is settled")
    func sends() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let phones = try (0..<3).map { _ in try stage.boot(on: simulator) }
                let plan = try stage.plan(phones.map(\.target))
                try await stage.deliver { [stage] in
                    let status = try await stage.send(plan)
                    #expect(status.isDone)
                    #expect(status.counts == OutcomeCounts(delivered: 3))
                }
                for (index, phone) in phones.enumerated() {
                    let received = simulator.device(phone.device.id)?.notifications ?? []
                    #expect(received.map(\.apnsID) == [plan.batches[0].id.apnsID(at: index)])
                    #expect(received.first?.payload == plan.batches[0].payload[0].bytes)
                }
            }
        }
    }

    @Test("every device receives its own payload, slice by slice", arguments: TestStoreBackend.allCases)
    func distinctPayloads(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 7
                let phones = try (0..<40).map { _ in try stage.boot(on: simulator) }
                let payloads = try phones.indices.map { try APNsPayload(json: #"{"aps":{"alert":"hello \#($0)"}}"#) }
                let part = BatchedNotification.Part(
                    lane: .urgent,
                    headers: NotificationHeaders(topic: try Topic(DeliveryStage.app.rawValue)),
                    payload: .distinct(PayloadList(payloads)),
                    targets: TargetList(phones.map(\.target))
                )
                let plan = BatchedNotification(app: DeliveryStage.app, parts: [part], now: stage.now.date)
                try await stage.deliver { [stage] in
                    let status = try await stage.send(plan)
                    #expect(status.counts == OutcomeCounts(delivered: 40))
                }
                for (index, phone) in phones.enumerated() {
                    let received = simulator.device(phone.device.id)?.notifications ?? []
                    #expect(received.map(\.payload) == [payloads[index].bytes])
                    #expect(received.map(\.apnsID) == [plan.batches[0].id.apnsID(at: index)])
                }
            }
        }
    }

    @Test("a direct send reaches the wire although the next poll is an hour away")
    func doesNotWaitForThePoll() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.pollInterval = .seconds(3600)
                let target = try stage.boot(on: simulator).target
                try await stage.deliver { [stage] in
                    // Both lanes have found nothing and wait.
                    try await stage.observed.first { $0 == .claimed(.urgent, 0) }
                    try await stage.clock.timer(dueIn: .seconds(3600), count: 2)
                    let status = try await stage.send(try stage.plan([target]))
                    #expect(status.counts.delivered == 1)
                }
                #expect(stage.clock.now == TestClock.Instant(offset: .zero))
            }
        }
    }

    @Test("what another process accepted is found by the poll")
    func pollFinds() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let target = try stage.boot(on: simulator).target
                let plan = try stage.plan([target])
                try await stage.accept(plan)
                // A lease of another process, whose end nobody signals.
                _ = try await stage.claim(.urgent, by: "gone")
                try await stage.deliver { [stage] in
                    try await stage.observed.first { $0 == .claimed(.urgent, 0) }
                    let changes = stage.store.changes()
                    stage.now.advance(by: .seconds(61))
                    try await stage.poll()
                    let status = try await stage.settled(plan, changes)
                    #expect(status.counts.delivered == 1)
                }
            }
        }
    }

    @Test("a batch of many slices is settled slice by slice, each once", arguments: TestStoreBackend.allCases)
    func manySlices(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                stage.configuration.chunkSize = 100
                stage.configuration.maxInFlight = 600
                let targets = try stage.bootTargets(1050, on: simulator)
                let plan = try stage.plan(targets, lane: .bulk)
                try await stage.deliver { [stage] in
                    let status = try await stage.send(plan)
                    #expect(status.counts == OutcomeCounts(delivered: 1050))
                }
                #expect(simulator.statistics.delivered == 1050)
            }
        }
    }

    @Test("targets of both environments go to their own servers, whatever their order, under their own ids")
    func mixedEnvironments() async throws {
        try await withTestSimulator(environment: .sandbox) { sandbox in
            try await withTestSimulator(environment: .production) { production in
                try await DeliveryStage.open { stage in
                    try await stage.use(sandbox)
                    try await stage.use(production)
                    let first = try (0..<5).map { _ in try stage.boot(on: sandbox) }
                    let second = try (0..<5).map { _ in try stage.boot(on: production) }
                    let plan = try stage.plan(zip(first, second).flatMap { [$0.target, $1.target] })
                    try await stage.deliver { [stage] in
                        let status = try await stage.send(plan)
                        #expect(status.counts == OutcomeCounts(delivered: 10))
                    }
                    for (place, pair) in zip(first, second).enumerated() {
                        let received = [(sandbox, pair.0), (production, pair.1)].map { simulator, phone in
                            simulator.device(phone.device.id)?.notifications.map(\.apnsID)
                        }
                        let ids = [2 * place, 2 * place + 1].map { [plan.batches[0].id.apnsID(at: $0)] }
                        #expect(received == ids)
                    }
                }
            }
        }
    }

    @Test("an urgent notification is settled while a bulk batch is still being sent")
    func urgentOvertakesBulk() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                stage.configuration.bulkBatches = 1
                let targets = try stage.bootTargets(2, on: simulator)
                let slow = SimulatorFault.Match(token: targets[0].token.hex)
                let hold = simulator.inject(SimulatorFault(.hold, match: slow))
                let bulk = try stage.plan([targets[0]], lane: .bulk)
                try await stage.deliver { [stage] in
                    // A connection has a single stream until APNs has accepted its first push.
                    _ = try await stage.send(try stage.plan([targets[1]]))
                    var arrivals = simulator.deliveries().makeAsyncIterator()
                    let changes = stage.store.changes()
                    try await stage.accept(bulk)
                    _ = await arrivals.next()
                    let urgent = try await stage.send(try stage.plan([targets[1]]))
                    #expect(urgent.counts.delivered == 1)
                    let bulkStatus = try await stage.status(of: bulk)
                    #expect(!bulkStatus.isDone)
                    simulator.removeFault(hold)
                    let counts = try await stage.settled(bulk, changes).counts
                    #expect(counts.delivered == 1)
                }
            }
        }
    }
}
