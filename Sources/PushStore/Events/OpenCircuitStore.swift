// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel

/// The open circuits of all delivering processes, so that every process can report them.
public protocol OpenCircuitStore: Sendable {
    /// Notes, or replaces the note, that nothing is sent for a line before the next attempt.
    func notePause(_ pause: OpenCircuit) async throws

    /// Notes that something was sent for a line; nothing is written if nothing was noted.
    func endPause(of line: OpenCircuit.Circuit) async throws

    /// The pauses that hold up unfinished batches of a notification, by environment and credential; often none.
    func pauses(holdingUp notification: NotificationID, now: Date) async throws -> [OpenCircuit]

    /// Returns the open circuits of an app, regardless of the process that opened them, and of queued batches.
    ///
    /// Entries that no process has confirmed for ``OpenCircuit/patience`` are omitted.
    /// - Returns: the entries of the app's circuits, sorted by environment and credential; often none.
    func pauses(of app: AppID, now: Date) async throws -> [OpenCircuit]
}

extension OpenCircuit {
    package init(stored row: StoredRow) throws {
        let types = try row.string("push_types").split(separator: " ").map { PushType(rawValue: String($0)) }
        self.init(
            line: Circuit(
                app: try row.identifier("app_id"),
                environment: APNsEnvironment(stored: try row.number("environment")),
                credential: try row.identifier("credential")
            ),
            pushTypes: Set(types),
            cause: try row.string("cause"),
            reason: try row.string("reason"),
            since: try row.date("since"),
            nextProbeAt: try row.date("next_attempt")
        )
    }

    package var storedPushTypes: String { self.pushTypes.map(\.rawValue).sorted().joined(separator: " ") }

    /// Sorts by environment and credential.
    package static func sorted(_ pauses: [OpenCircuit]) -> [OpenCircuit] {
        pauses.sorted {
            ($0.line.environment.rawValue, $0.line.credential.rawValue)
                < ($1.line.environment.rawValue, $1.line.credential.rawValue)
        }
    }
}
