// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
import ApusTesting
package import Foundation
package import PushModel
package import PushStore

/// The values of the tests of stores.
package enum StoreFixtures {
    package static let now = TestDateSource.beginning
    package static let app: AppID = "com.example.app"
    package static let otherApp: AppID = "com.example.other"
    package static let worker: WorkerID = "worker-1"
    package static let otherWorker: WorkerID = "worker-2"

    /// The time that lies some seconds after `now`.
    package static func after(_ seconds: Double) -> Date {
        Date(millisecondsSince1970: self.now.millisecondsSince1970 + Int64((seconds * 1000).rounded()))
    }

    /// Milliseconds since 1970 of the time that lies some seconds after `now`.
    package static func milliseconds(after seconds: Double) -> Int64 { self.after(seconds).millisecondsSince1970 }

    /// A token of 32 bytes that is different for every number.
    package static func token(_ number: Int) throws -> DeviceToken {
        try DeviceToken(bytes: (0..<32).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 4)) &+ $0) })
    }

    package static func target(_ number: Int, environment: APNsEnvironment = .production) throws -> Target {
        Target(token: try self.token(number), environment: environment)
    }

    package static func registration(
        _ installation: DeviceID,
        token number: Int,
        app: AppID = StoreFixtures.app,
        environment: APNsEnvironment = .production,
        profile: DeviceProfile = DeviceProfile()
    ) throws -> DeviceRegistration {
        DeviceRegistration(
            app: app,
            installation: installation,
            token: try self.token(number),
            environment: environment,
            profile: profile
        )
    }

    /// The registration of an installation that is named by a number, with the token of that number or another.
    package static func registration(_ number: Int, token: Int? = nil) throws -> DeviceRegistration {
        try self.registration(DeviceID(unchecked: "device \(number)"), token: token ?? number)
    }

    /// A request to send to targets, by default to tokens 0, 1, 2 and so on.
    package static func plan(
        targets: Int = 1,
        lane: Lane = .urgent,
        app: AppID = StoreFixtures.app,
        expiresAt: Date? = nil,
        now: Date = StoreFixtures.now
    ) throws -> BatchedNotification {
        try BatchedNotification(
            app: app,
            lane: lane,
            headers: NotificationHeaders(
                topic: Topic(app.rawValue),
                priority: .powerConsiderate,
                expiration: APNsExpiration(rawValue: 1_800_000_000),
                collapseID: CollapseID("score")
            ),
            payload: APNsPayload(json: #"{"aps":{"alert":"寿司 🍣"},  "n":1}"#),
            targets: (0..<targets).map { try self.target($0) },
            expiresAt: expiresAt,
            now: now
        )
    }

    /// A rejection as APNs gives it.
    package static func rejection(_ reason: RejectionReason, inactiveSince: Int64? = nil) -> Outcome {
        .rejected(Rejection(reason, inactiveSince: inactiveSince))
    }
}

/// Shorter forms of the calls, for tests.
extension AppStore where Self: BatchStore {
    /// Adds the sample app.
    package func addSampleApp(_ id: AppID = StoreFixtures.app) async throws {
        try await self.createApp(App(id: id, createdAt: StoreFixtures.now))
    }

    /// Accepts a plan.
    package func accept(_ plan: BatchedNotification) async throws {
        try await self.accept(plan.notification, batches: plan.batches, noting: nil)
    }

    /// Claims with a lease of 60 seconds.
    package func claim(
        _ lane: Lane = .urgent,
        limit: Int = 10,
        by worker: WorkerID = StoreFixtures.worker,
        now: Date = StoreFixtures.now
    ) async throws -> [ClaimedBatch] {
        try await self.claim(lane: lane, limit: limit, worker: worker, leaseDuration: .seconds(60), now: now)
    }
}
