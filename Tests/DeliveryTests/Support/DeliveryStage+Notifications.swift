// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import PushModel
import PushStore
import StoreTesting

extension DeliveryStage {
    /// Boots a virtual device that has the app.
    func boot(on simulator: APNsSimulator) throws -> (device: VirtualDevice, target: Target) {
        let device = try simulator.bootDevice(apps: [Self.app.rawValue])
        guard let token = device.token(Self.app.rawValue) else { throw StageError.missing("a token") }
        return (device, Target(token: token, environment: device.environment))
    }

    /// Boots virtual devices that have the app.
    func bootTargets(_ count: Int, on simulator: APNsSimulator) throws -> [Target] {
        let environment = simulator.configuration.environment
        return try simulator.bootDevices(count, apps: [Self.app.rawValue])
            .map { Target(token: $0, environment: environment) }
    }

    /// Plans a notification for the app.
    func plan(
        _ targets: [Target],
        lane: Lane = .urgent,
        pushType: PushType = .alert,
        expiration: APNsExpiration? = nil,
        createdAt: Date? = nil,
        expiresAt: Date? = nil
    ) throws -> BatchedNotification {
        try BatchedNotification(
            app: Self.app,
            lane: lane,
            headers: NotificationHeaders(
                topic: Topic(bundleID: Self.app.rawValue, pushType: pushType),
                pushType: pushType,
                expiration: expiration
            ),
            payload: APNsPayload(json: #"{"aps":{"alert":"hello"}}"#),
            targets: targets,
            expiresAt: expiresAt,
            now: createdAt ?? self.now.date
        )
    }

    /// Stores a notification.
    func accept(_ plan: BatchedNotification) async throws {
        try await self.store.accept(plan.notification, batches: plan.batches, noting: nil)
    }

    /// Stores a notification and waits until all of it is settled.
    func send(_ plan: BatchedNotification) async throws -> NotificationStatus {
        let changes = self.store.changes()
        try await self.accept(plan)
        return try await self.settled(plan, changes)
    }

    /// Waits until all of a notification is settled.
    ///
    /// The changes have to be subscribed to before that can happen.
    func settled(_ plan: BatchedNotification, _ changes: AsyncStream<StoreChange>) async throws -> NotificationStatus {
        try await changes.nextElement { $0 == .notificationSettled(plan.notification.id) }
        return try await self.status(of: plan)
    }

    /// Waits until all these notifications are settled.
    ///
    /// The changes have to be subscribed to before that can happen.
    func settlements(of notifications: Set<NotificationID>, _ changes: AsyncStream<StoreChange>) async throws {
        var waiting = notifications
        while !waiting.isEmpty {
            if case .notificationSettled(let id) = try await changes.nextElement() { waiting.remove(id) }
        }
    }

    /// How far a notification has come.
    func status(of plan: BatchedNotification) async throws -> NotificationStatus {
        guard let status = try await self.store.notification(plan.notification.id) else {
            throw StageError.missing("the notification")
        }
        return status
    }

    /// Registers a device that has a target.
    @discardableResult
    func register(_ target: Target, now: Date) async throws -> DeviceID {
        let installation = DeviceID(unchecked: String(target.token.hex.prefix(16)))
        let registration = DeviceRegistration(
            app: Self.app,
            installation: installation,
            token: target.token,
            environment: target.environment
        )
        try await self.store.register(registration, now: now)
        return installation
    }

    /// The status of a device.
    func deviceStatus(_ installation: DeviceID) async throws -> DeviceStatus? {
        try await self.store.device(installation, of: Self.app)?.status
    }
}

/// Something that a test counts on is not there.
enum StageError: Error {
    case missing(String)
}
