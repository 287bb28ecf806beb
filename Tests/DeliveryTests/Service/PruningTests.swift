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

@Suite("Dead and bad tokens", .timeLimit(.minutes(20)))
struct PruningTests {
    @Test("a device whose app was uninstalled becomes invalid by APNs' 410", arguments: TestStoreBackend.allCases)
    func uninstalled(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                let (device, target) = try stage.boot(on: simulator)
                let installation = try await stage.register(target, now: stage.now.date.addingTimeInterval(-60))
                try simulator.uninstall(DeliveryStage.app.rawValue, from: device.id)
                try await stage.deliver { [stage] in
                    let status = try await stage.send(try stage.plan([target]))
                    #expect(status.counts == OutcomeCounts(rejected: [.unregistered: 1]))
                }
                guard case .invalid(.unregistered, _) = try await stage.deviceStatus(installation) else {
                    Issue.record("the device is not invalid")
                    return
                }
            }
        }
    }

    @Test("a device that registered again after the time that APNs gave stays active")
    func registeredAgain() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let (device, target) = try stage.boot(on: simulator)
                try simulator.uninstall(DeliveryStage.app.rawValue, from: device.id)
                let installation = try await stage.register(target, now: stage.now.date.addingTimeInterval(60))
                try await stage.deliver { [stage] in
                    let status = try await stage.send(try stage.plan([target]))
                    #expect(status.counts == OutcomeCounts(rejected: [.unregistered: 1]))
                }
                let status = try await stage.deviceStatus(installation)
                #expect(status == .active)
            }
        }
    }

    @Test("a token that APNs calls bad makes its device suspect, and the others are delivered")
    func badToken() async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open { stage in
                try await stage.use(simulator)
                let good = try stage.bootTargets(2, on: simulator)
                let unknown = Target(
                    token: try DeviceToken(bytes: Array(repeating: 0xab, count: 32)),
                    environment: .sandbox
                )
                let installation = try await stage.register(unknown, now: stage.now.date)
                let plan = try stage.plan([good[0], unknown, good[1]])
                try await stage.deliver { [stage] in
                    let status = try await stage.send(plan)
                    #expect(status.counts == OutcomeCounts(delivered: 2, rejected: [.badDeviceToken: 1]))
                }
                let since = Date(millisecondsSince1970: stage.now.date.millisecondsSince1970)
                let status = try await stage.deviceStatus(installation)
                #expect(status == .suspect(reason: .badDeviceToken, since: since))
                let outcome = try await stage.store.outcome(of: plan.batches[0].id.apnsID(at: 1))
                #expect(outcome?.outcome == .rejected(Rejection(.badDeviceToken)))
            }
        }
    }
}
