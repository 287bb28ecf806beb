// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One request to send, as its caller knows it; it is carried out as one batch or several.
///
/// Beside Foundation's type of that name write `PushModel.Notification`.
public struct Notification: Hashable, Sendable, Codable {
    /// Names the request.
    public let id: NotificationID

    /// The app that it is sent for.
    public let app: AppID

    /// When it was accepted; kept to the millisecond.
    public let createdAt: Date

    /// How many targets all its batches have together.
    public let targetCount: Int

    /// How many batches it was split into.
    public let batchCount: Int

    /// The notification whose failed targets this one is sent to again; `nil` for all others.
    public let resendOf: NotificationID?

    /// Up to which of these it is sent to, where more failed than are sent to again at once; `nil` when it is all that are
    /// left.
    public let resendThrough: APNsID?

    /// Describes a request; ``NotificationPlan`` makes one with its batches.
    ///
    /// - Parameters:
    ///   - id: its name.
    ///   - app: the app that it is sent for.
    ///   - createdAt: when it was accepted.
    ///   - targetCount: how many targets all its batches have together.
    ///   - batchCount: how many batches it was split into.
    ///   - resendOf: the notification whose failed targets it is sent to again, or `nil`.
    ///   - resendThrough: up to which of these, or `nil`.
    public init(
        id: NotificationID,
        app: AppID,
        createdAt: Date,
        targetCount: Int,
        batchCount: Int,
        resendOf: NotificationID? = nil,
        resendThrough: APNsID? = nil
    ) {
        self.id = id
        self.app = app
        self.createdAt = createdAt
        self.targetCount = targetCount
        self.batchCount = batchCount
        self.resendOf = resendOf
        self.resendThrough = resendThrough
    }
}
