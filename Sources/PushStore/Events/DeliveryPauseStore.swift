// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What delivery waits for, so that every process can say it; each that delivers finds out by itself.
public protocol DeliveryPauseStore: Sendable {
    /// Nothing is sent for a line before the next attempt.
    ///
    /// Takes the place of what was noted of the line. Does nothing when there is no such app.
    func notePause(_ pause: DeliveryPause) async throws

    /// Something was sent for a line: nothing waits for it any more.
    ///
    /// Cheap when nothing was noted: nothing is written then.
    func endPause(of line: DeliveryPause.Line) async throws

    /// What the batches of a notification wait for that are not final and not paused themselves.
    ///
    /// - Parameters:
    ///   - notification: the notification; one that there is not waits for nothing.
    ///   - now: the time.
    /// - Returns: what was noted of the lines of these batches, sorted by environment and credential; often none.
    /// - Throws: ``StoreError``.
    func pauses(holdingUp notification: NotificationID, now: Date) async throws -> [DeliveryPause]

    /// What of an app is paused, whichever process found out and whether anything waits for it or not.
    ///
    /// - Parameters:
    ///   - app: the app; one that there is not has no pauses.
    ///   - now: the time; what nobody has told anything of for ``DeliveryPause/patience`` is left out.
    /// - Returns: what was noted of the app's lines, sorted by environment and credential; often none.
    /// - Throws: ``StoreError``.
    func pauses(of app: AppID, now: Date) async throws -> [DeliveryPause]
}
