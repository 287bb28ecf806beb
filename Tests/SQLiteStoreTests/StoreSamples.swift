// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import SQLiteStore

/// The values with which the tests of SQLite work.
enum Samples {
    static let now = TestNow.beginning
    static let app: AppID = "com.example.app"

    static func target(_ number: Int) throws -> Target {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4)) &+ $0) }
        return Target(token: try DeviceToken(bytes: bytes), environment: .production)
    }

    static func plan(
        targets count: Int = 1,
        app: AppID = Samples.app,
        lane: Lane = .urgent,
        expiresAt: Date? = nil,
        now: Date = Samples.now
    ) throws -> NotificationPlan {
        try NotificationPlan(
            app: app,
            lane: lane,
            headers: NotificationHeaders(topic: Topic(app.rawValue)),
            payload: APNsPayload(json: #"{"aps":{"alert":"hello"}}"#),
            targets: (0..<count).map { try self.target($0) },
            expiresAt: expiresAt,
            now: now
        )
    }

    static func registration(_ number: Int) throws -> DeviceRegistration {
        let target = try self.target(number)
        return DeviceRegistration(
            app: self.app,
            installation: InstallationID(unchecked: "device \(number)"),
            token: target.token,
            environment: target.environment
        )
    }
}

extension SQLiteStore {
    func addSampleApp() async throws {
        try await self.createApp(App(id: Samples.app, createdAt: Samples.now))
    }

    func accept(_ plan: NotificationPlan) async throws {
        try await self.accept(plan.notification, batches: plan.batches)
    }

    func claimAll(now: Date = Samples.now) async throws -> [ClaimedBatch] {
        try await self.claim(lane: .urgent, limit: 1000, worker: "worker", leaseDuration: .seconds(60), now: now)
    }
}

/// The `StoreError` that a call throws, or `nil` when it throws none.
func storeError<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ call: () async throws -> Value
) async throws -> StoreError? {
    do {
        _ = try await call()
        return nil
    } catch let error as StoreError {
        return error
    }
}
