// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// What became of one notification to one target, found by its `apns-id`.
public struct TargetOutcome: Hashable, Sendable {
    /// The id under which APNs knows the notification.
    public let apnsID: APNsID

    /// The request that it is a part of.
    public let notification: NotificationID

    /// Who was to receive it.
    public let target: Target

    /// What became of it; `nil` while that is not known.
    public let outcome: Outcome?

    /// Describes an outcome.
    ///
    /// - Parameters:
    ///   - apnsID: the id under which APNs knows the notification.
    ///   - notification: the request that it is a part of.
    ///   - target: who was to receive it.
    ///   - outcome: what became of it, or `nil`.
    public init(apnsID: APNsID, notification: NotificationID, target: Target, outcome: Outcome?) {
        self.apnsID = apnsID
        self.notification = notification
        self.target = target
        self.outcome = outcome
    }
}
