// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ActivityKit
import ApusKit
import Foundation

/// Starts the Live Activities of lessons, and tells both servers their tokens.
///
/// ApusKit registers the tokens with Apus, which sends the pushes. The backend has to know that a device shows a lesson,
/// because its scheduler announces the end of such lessons only.
final class LiveActivityManager: Sendable {
    private let activities = ActivityCoordinator<IVENTActivityAttributes>(
        instants: { _, state in ["endsAt": state.endTime] },
        name: { $0.scheduleId }
    )
    private let backend: Backend

    init(backend: Backend) {
        self.backend = backend
    }

    func startActivity(for schedule: Schedule) async throws {
        guard ActivityAuthorizationInfo().areActivitiesEnabled else { return }

        let attributes = IVENTActivityAttributes(
            scheduleId: schedule.id,
            childId: schedule.childId,
            academyName: schedule.academyName
        )
        let state = IVENTActivityAttributes.ContentState(
            childName: schedule.childName,
            scheduleTitle: schedule.title,
            endTime: schedule.endTime,
            status: "active"
        )
        try await self.activities.start(
            attributes,
            state: state,
            staleDate: schedule.endTime.addingTimeInterval(300)
        )
    }

    /// Registers each token, also of activities that a push has started, until the task is cancelled.
    ///
    /// ActivityKit issues the token after `request` has returned, and can replace it later.
    func run() async {
        let events = self.activities.events
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.activities.run() }
            group.addTask {
                for await event in events {
                    guard case .token(let scheduleId) = event else { continue }
                    let activity = Activity<IVENTActivityAttributes>.activities
                        .first { $0.attributes.scheduleId == scheduleId && $0.pushToken != nil }
                    guard let activity, let token = activity.pushToken else { continue }
                    await self.registerPushToken(token, activityId: activity.id, scheduleId: scheduleId)
                }
            }
        }
    }

    private func registerPushToken(_ token: Data, activityId: String, scheduleId: String) async {
        let body = PushTokenRequest(
            token: token.map { String(format: "%02x", $0) }.joined(),
            activityId: activityId,
            environment: AppSettings.apus.environment.rawValue
        )
        // The backend may be restarting. Without the token, it would not announce the end of the lesson.
        for seconds in [0, 1, 2, 4, 8, 16, 32] as [UInt64] {
            do {
                try await Task.sleep(nanoseconds: seconds * 1_000_000_000)
                return try await self.backend.registerPushToken(body, of: scheduleId)
            } catch {
                if Task.isCancelled { return }
            }
        }
    }
}
