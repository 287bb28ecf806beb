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
import Scheduling
import ServiceLifecycle
import StoreTesting
import Testing

@Suite("A token validation", .timeLimit(.minutes(20)))
struct TokenValidationTests {
    /// Runs delivery and planner until a token validation is finished.
    ///
    /// - Parameter timePasses: whether the clocks advance, from timer to timer.
    private static func carryOut(
        _ stage: DeliveryStage,
        fix: Bool,
        duration: Int = 0,
        timePasses: Bool = false,
        devices: Int
    ) async throws -> CampaignStatus {
        let campaign = try Campaign(
            id: CampaignID(now: stage.now.date),
            app: DeliveryStage.app,
            name: "test",
            audience: .all,
            tokenValidation: TokenValidation(durationSeconds: duration, devices: devices, fixesEnvironment: fix),
            start: .now,
            createdAt: Date(millisecondsSince1970: stage.now.date.millisecondsSince1970)
        )
        // Time may pass faster than anything is sent: no lease expires because of that.
        var stage = stage
        stage.configuration.leaseDuration = .seconds(86_400)
        var scheduling = SchedulingConfiguration()
        scheduling.leaseDuration = .seconds(86_400)
        let planner = CampaignScheduler(
            store: stage.store,
            configuration: scheduling,
            clock: stage.clock,
            now: { [now = stage.now] in now.date },
            logger: .silent
        )
        let changes = stage.store.changes()
        try await stage.deliver { [stage] in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await planner.run() }
                try await stage.store.createCampaign(campaign)
                // A token validation expires after a day.
                try await stage.clock.pass(upTo: timePasses ? .seconds(80_000) : .zero, alsoAdvancing: stage.now) {
                    try await changes.nextElement { $0 == .notificationSettled(campaign.id.notification) }
                }
                group.cancelAll()
            }
        }
        guard let status = try await stage.store.campaign(campaign.id) else {
            throw StageError.missing("the token validation")
        }
        return status
    }

    @Test(
        "finds unregistered tokens and those of the other environment, fixes the latter, and displays nothing",
        arguments: [true, false],
        TestStoreBackend.allCases
    )
    func whole(fix: Bool, on store: TestStoreBackend) async throws {
        try await withTestSimulator { sandbox in
            try await withTestSimulator(environment: .production) { production in
                try await DeliveryStage.open(on: store) { stage in
                    try await stage.use(sandbox)
                    try await stage.use(production)
                    let earlier = stage.now.date.addingTimeInterval(-3600)
                    var devices: [VirtualDevice] = []
                    for _ in 0..<5 {
                        let (device, target) = try stage.boot(on: sandbox)
                        devices.append(device)
                        try await stage.register(target, now: earlier)
                    }
                    let gone = try stage.boot(on: sandbox)
                    try sandbox.uninstall(DeliveryStage.app.rawValue, from: gone.device.id)
                    let dead = try await stage.register(gone.target, now: earlier)
                    // Both have their token from production, and the server takes them for sandbox devices.
                    let strays = try (0..<2).map { _ in try stage.boot(on: production) }
                    let targets = strays.map { Target(token: $0.target.token, environment: .sandbox) }
                    let stray = try await stage.register(targets[0], now: earlier)
                    let younger = try await stage.register(targets[1], now: stage.now.date.addingTimeInterval(3600))
                    let nonsense = Target(
                        token: try DeviceToken(bytes: Array(repeating: 0xab, count: 32)),
                        environment: .sandbox
                    )
                    let bad = try await stage.register(nonsense, now: earlier)

                    let status = try await Self.carryOut(stage, fix: fix, devices: 9)
                    #expect(status.lifecycle.state == .completed)
                    let report = TokenValidationReport(status)
                    #expect(report.checked == 9)
                    #expect(report.valid == 5)
                    #expect(report.unregistered == 1)
                    #expect(report.otherEnvironment == 2)
                    #expect(report.invalid == 1)
                    #expect(report.fixed == (fix ? 1 : 0))
                    #expect(report.inconclusive == OutcomeCounts())

                    #expect(try await stage.deviceStatus(dead)?.isReachable == false)
                    let fixed = try await stage.store.device(stray, of: DeliveryStage.app)
                    #expect(fixed?.environment == (fix ? .production : .sandbox))
                    #expect((fixed?.status == .active) == fix)
                    // What the app said after the token validation began counts more.
                    let left = try await stage.store.device(younger, of: DeliveryStage.app)
                    #expect(left?.environment == .sandbox)
                    guard case .invalid(.badDeviceToken, _) = try await stage.deviceStatus(bad) else {
                        Issue.record("the device whose token is bad in both environments is not invalid")
                        return
                    }
                    let tried = devices.map { sandbox.device($0.id) } + strays.map { production.device($0.device.id) }
                    for device in tried {
                        let device = try #require(device)
                        #expect(
                            device.notifications.map(\.payload) == [Array(#"{"aps":{"content-available":1}}"#.utf8)]
                        )
                        #expect(device.notifications.first?.headers["apns-push-type"] == "background")
                        #expect(device.notifications.first?.headers["apns-priority"] == "5")
                        #expect(device.shown.isEmpty)
                        #expect(device.apps.allSatisfy { $0.badge == nil })
                    }
                }
            }
        }
    }

    @Test("is spread over its time: no shard is sent before its turn", arguments: TestStoreBackend.allCases)
    func spread(on store: TestStoreBackend) async throws {
        try await withTestSimulator { simulator in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(simulator)
                let start = stage.now.date
                for target in try stage.bootTargets(20, on: simulator) { try await stage.register(target, now: start) }
                let status = try await Self.carryOut(
                    stage,
                    fix: false,
                    duration: 10,
                    timePasses: true,
                    devices: 20
                )
                #expect(TokenValidationReport(status).valid == 20)
                // The last of twenty has its turn after nineteen halves of a second.
                #expect(stage.now.date.timeIntervalSince(start) >= 9.5)
            }
        }
    }

    @Test(
        "tries again what APNs asks to send later, and what had no answer, in both environments",
        arguments: [SimulatorFault.Action.reject(Rejection(.serviceUnavailable)), .drop],
        TestStoreBackend.allCases
    )
    func burst(fault: SimulatorFault.Action, on store: TestStoreBackend) async throws {
        try await withTestSimulator { sandbox in
            try await withTestSimulator(environment: .production) { production in
                try await DeliveryStage.open(on: store) { stage in
                    stage.maximumResends = 0
                    try await stage.use(sandbox)
                    try await stage.use(production)
                    let earlier = stage.now.date.addingTimeInterval(-3600)
                    for target in try stage.bootTargets(6, on: sandbox) {
                        try await stage.register(target, now: earlier)
                    }
                    let stray = try stage.boot(on: production).target
                    try await stage.register(Target(token: stray.token, environment: .sandbox), now: earlier)
                    sandbox.inject(SimulatorFault(fault, count: 3))
                    production.inject(SimulatorFault(fault, count: 1))
                    let status = try await Self.carryOut(stage, fix: false, timePasses: true, devices: 7)
                    let report = TokenValidationReport(status)
                    #expect(report.valid == 6)
                    #expect(report.otherEnvironment == 1)
                    #expect(report.inconclusive == OutcomeCounts())
                    #expect(sandbox.statistics.faulted == 3)
                    #expect(production.statistics.faulted == 1)
                }
            }
        }
    }

    @Test("without a credential for the other environment says so, and ends", arguments: TestStoreBackend.allCases)
    func noCredential(on store: TestStoreBackend) async throws {
        try await withTestSimulator { sandbox in
            try await DeliveryStage.open(on: store) { stage in
                try await stage.use(sandbox)
                let nonsense = Target(
                    token: try DeviceToken(bytes: Array(repeating: 0xab, count: 32)),
                    environment: .sandbox
                )
                try await stage.register(nonsense, now: stage.now.date)
                let status = try await Self.carryOut(stage, fix: true, devices: 1)
                #expect(status.lifecycle.state == .completed)
                let report = TokenValidationReport(status)
                #expect(report.checked == 1)
                #expect(report.inconclusive.failed == [.noCredential: 1])
                #expect(report.invalid == 0)
                #expect(report.otherEnvironment == 0)
                #expect(report.fixed == 0)
            }
        }
    }
}
