// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A receiver outside to which an app's events are posted, and how far it has come in the feed.
public struct Webhook: Hashable, Sendable {
    /// Names the webhook.
    public let id: WebhookID

    /// The app whose events it gets.
    public let app: AppID

    /// Where they are posted.
    public internal(set) var url: WebhookURL

    /// The kinds that it gets; `nil` for all of them.
    public internal(set) var kinds: Set<EventKind>?

    /// The secret that signs what is posted, sealed with the master key.
    public let sealedSecret: [UInt8]

    /// When it was created; kept to the millisecond.
    public let createdAt: Date

    /// Whether it is sent to.
    public internal(set) var state: WebhookState

    /// The last event that the receiver has taken, or that was passed over for it.
    public internal(set) var cursor: EventCursor

    /// The last event of the request that failed: the next attempt ends there too, so that it is the same message.
    public internal(set) var retryTo: EventCursor?

    /// How many requests failed in a row.
    public internal(set) var failures: Int

    /// When the first of these failed.
    public internal(set) var failingSince: Date?

    /// Nothing is posted before.
    public internal(set) var nextAttempt: Date

    /// How many of its events were removed from the feed before it could take them, since it was created.
    public internal(set) var lost: Int

    /// Describes a webhook; one that is new has the default values.
    ///
    /// - Parameters:
    ///   - id: its name.
    ///   - app: the app whose events it gets.
    ///   - url: where they are posted.
    ///   - kinds: the kinds that it gets; `nil` for all.
    ///   - sealedSecret: what signs, sealed.
    ///   - createdAt: when it was created.
    ///   - state: whether it is sent to.
    ///   - cursor: behind which event it begins.
    ///   - retryTo: the last event of the request that failed, or `nil`.
    ///   - failures: how many requests failed in a row.
    ///   - failingSince: when the first of these failed, or `nil`.
    ///   - nextAttempt: nothing is posted before; `createdAt` unless given.
    ///   - lost: how many of its events were lost.
    public init(
        id: WebhookID,
        app: AppID,
        url: WebhookURL,
        kinds: Set<EventKind>?,
        sealedSecret: [UInt8],
        createdAt: Date,
        state: WebhookState = .active,
        cursor: EventCursor,
        retryTo: EventCursor? = nil,
        failures: Int = 0,
        failingSince: Date? = nil,
        nextAttempt: Date? = nil,
        lost: Int = 0
    ) {
        self.id = id
        self.app = app
        self.url = url
        self.kinds = kinds
        self.sealedSecret = sealedSecret
        self.createdAt = createdAt
        self.state = state
        self.cursor = cursor
        self.retryTo = retryTo
        self.failures = failures
        self.failingSince = failingSince
        self.nextAttempt = nextAttempt ?? createdAt
        self.lost = lost
    }
}
