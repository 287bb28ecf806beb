// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

/// Reads how far notifications have come, never less far than callers of this process were told.
struct NotificationReader: Sendable {
    /// How long the store is given to take what was announced; then what it has counts.
    private static let patience: Duration = .seconds(5)

    let store: any PushStore
    let announcements: Announcements
    let clock: any Clock<Duration>

    /// How far the notification in a call's path has come.
    ///
    /// - Throws: ``Problem`` `.notificationNotFound`, also where it is another app's; what the store throws.
    func status(_ call: APICall) async throws -> NotificationStatus {
        guard let id = call.parameter("notification").flatMap({ NotificationID($0) }) else {
            throw Problem.unknownNotification
        }
        return try await self.status(of: id, call)
    }

    /// How far a notification of the app in a call's path has come.
    ///
    /// - Throws: ``Problem`` `.notificationNotFound`; what the store throws.
    func status(of id: NotificationID, _ call: APICall) async throws -> NotificationStatus {
        await self.catchUp(with: id)
        guard let status = try await self.store.notification(id), status.notification.app == (try call.app()) else {
            throw Problem.unknownNotification
        }
        return status
    }

    /// What became of one notification to one target; `nil` where there is none.
    func outcome(of apnsID: APNsID) async throws -> TargetOutcome? {
        let outcome = try await self.store.outcome(of: apnsID)
        guard let outcome, outcome.outcome == nil else { return outcome }
        await self.catchUp(with: outcome.notification)
        return try await self.store.outcome(of: apnsID)
    }

    /// Waits until the store has what was announced.
    private func catchUp(with notification: NotificationID) async {
        guard let conclusion = self.announcements.conclusion(of: notification) else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in conclusion {} }
            group.addTask { try? await self.clock.sleep(for: Self.patience) }
            await group.next()
            group.cancelAll()
        }
    }
}
