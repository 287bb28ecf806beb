// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// What delivery waits for, so that every process can say it; each that delivers finds out by itself.
public protocol DeliveryPauseStore: Sendable {
    /// Notes, or replaces the note, that nothing is sent for a line before the next attempt.
    func notePause(_ pause: DeliveryPause) async throws

    /// Notes that something was sent for a line; nothing is written if nothing was noted.
    func endPause(of line: DeliveryPause.Line) async throws

    /// The pauses that hold up unfinished batches of a notification, by environment and credential; often none.
    func pauses(holdingUp notification: NotificationID, now: Date) async throws -> [DeliveryPause]

    /// What of an app is paused, whichever process found out and whether anything waits for it or not.
    ///
    /// Pauses that no process has confirmed for ``DeliveryPause/patience`` are left out.
    /// - Returns: what was noted of the app's lines, sorted by environment and credential; often none.
    func pauses(of app: AppID, now: Date) async throws -> [DeliveryPause]
}

extension DeliveryPause {
    package init(stored row: StoredRow) throws {
        let types = try row.string("push_types").split(separator: " ").map { PushType(rawValue: String($0)) }
        self.init(
            line: Line(
                app: try row.identifier("app_id"),
                environment: APNsEnvironment(stored: try row.number("environment")),
                credential: try row.identifier("credential")
            ),
            pushTypes: Set(types),
            cause: try row.string("cause"),
            reason: try row.string("reason"),
            since: try row.date("since"),
            nextAttempt: try row.date("next_attempt")
        )
    }

    package var storedPushTypes: String { self.pushTypes.map(\.rawValue).sorted().joined(separator: " ") }

    /// Sorts by environment and credential.
    package static func sorted(_ pauses: [DeliveryPause]) -> [DeliveryPause] {
        pauses.sorted {
            ($0.line.environment.rawValue, $0.line.credential.rawValue)
                < ($1.line.environment.rawValue, $1.line.credential.rawValue)
        }
    }
}
