// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import SQLStore
import Scheduling
import ServiceLifecycle
import StoreTesting

/// A store in a temporary directory, with an app, and clocks that only the test moves.
struct SchedulingStage: Sendable {
    static let app: AppID = "com.example.app"

    let store: any PushStore & SQLBacked
    let now = TestDateSource()
    let clock = TestClock()
    var configuration = SchedulingConfiguration()

    /// Makes a stage, hands it to `body` and clears it away.
    static func open(
        on kind: TestStoreBackend = .sqlite,
        _ body: (inout SchedulingStage) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("apus-scheduling-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await kind.withStore(in: directory) { store in
            var stage = SchedulingStage(store: store)
            try await store.createApp(App(id: Self.app, createdAt: stage.now.date))
            try await body(&stage)
        }
    }

    /// Registers devices, the first of them with that number.
    func register(
        _ numbers: Range<Int>,
        _ profile: @Sendable (Int) -> DeviceProfile = { _ in DeviceProfile() }
    ) async throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 500) {
            let registrations = try (start..<min(start + 500, numbers.upperBound)).map { number in
                DeviceRegistration(
                    app: Self.app,
                    installation: DeviceID(unchecked: "device-\(number)"),
                    token: try Self.token(number),
                    environment: .sandbox,
                    profile: profile(number)
                )
            }
            try await self.store.register(registrations, now: self.now.date)
        }
    }

    static func token(_ number: Int) throws -> DeviceToken {
        try DeviceToken(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4)) &+ $0) })
    }

    func campaign(
        _ json: String = #"{"aps":{"alert":"hello"}}"#,
        audience: Audience = .all,
        start: CampaignStart = .now,
        ratePerSecond: Int? = nil,
        expiresAt: Date? = nil
    ) throws -> Campaign {
        Campaign(
            id: CampaignID(now: self.now.date),
            app: Self.app,
            name: "test",
            audience: audience,
            message: CampaignMessage(fallback: try MessageTemplate(APNsPayload(json: json))),
            start: start,
            ratePerSecond: ratePerSecond,
            expiresAt: expiresAt,
            createdAt: self.now.date
        )
    }

    /// Runs a planner for as long as `body` takes, and shuts it down gracefully; an error cancels it.
    func plan(
        on store: (any SchedulingStore)? = nil,
        planner: WorkerID = .unique(),
        logger: Logger = .silent,
        _ body: () async throws -> Void
    ) async throws {
        var configuration = self.configuration
        configuration.planner = planner
        let service = CampaignScheduler(
            store: store ?? self.store,
            configuration: configuration,
            clock: self.clock,
            now: { [now] in now.date },
            logger: logger
        )
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [service], logger: .silent)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            try await body()
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }

    /// Settles every batch as it comes, until a campaign's notification is settled.
    ///
    /// - Returns: the tokens of all batches, in the order in which they came.
    func deliver(
        _ campaign: Campaign,
        _ changes: AsyncStream<StoreChange>,
        onBatch: (Batch) async throws -> Void = { _ in }
    ) async throws -> [DeviceToken] {
        var tokens: [DeviceToken] = []
        for await change in changes {
            if change == .notificationSettled(campaign.id.notification) { break }
            guard case .batchReady = change else { continue }
            tokens += try await self.deliverReady(onBatch)
        }
        return tokens
    }

    /// Settles every batch that can be claimed now.
    func deliverReady(_ onBatch: (Batch) async throws -> Void = { _ in }) async throws -> [DeviceToken] {
        var tokens: [DeviceToken] = []
        let claimed = try await self.store.claim(
            lane: .bulk,
            limit: 1000,
            worker: "worker",
            leaseDuration: .seconds(60),
            now: self.now.date
        )
        for claim in claimed {
            tokens += claim.batch.targets.map(\.token)
            try await onBatch(claim.batch)
            let range = 0..<claim.batch.targets.count
            try await self.store.settle(Settlement(of: claim, range: range, failures: []), now: self.now.date)
        }
        return tokens
    }

    func status(of campaign: Campaign) async throws -> CampaignStatus {
        guard let status = try await self.store.campaign(campaign.id) else { throw StageError.missing("the campaign") }
        return status
    }
}

/// Something that a test counts on is not there.
enum StageError: Error {
    case missing(String)
}

extension Logger {
    /// A logger that keeps nothing.
    static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
