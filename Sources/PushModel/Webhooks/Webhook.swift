// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// A receiver outside to which an app's events are posted, and how far it has come in the feed.
public struct Webhook: Hashable, Sendable {
    public let id: WebhookID
    public let app: AppID
    public internal(set) var url: WebhookURL

    /// The kinds that it gets; `nil` for all of them.
    public internal(set) var kinds: Set<EventType>?

    /// The secret that signs requests, sealed with the master key.
    public let sealedSecret: [UInt8]

    /// When it was created; kept to the millisecond.
    public let createdAt: Date

    public internal(set) var state: WebhookState

    /// The last event that the receiver has taken, or that was passed over for it.
    public internal(set) var cursor: EventCursor

    /// The last event of the request that failed: the next attempt ends there too, so that it is the same message.
    public internal(set) var retryTo: EventCursor?

    /// How many requests failed in a row.
    public internal(set) var consecutiveFailures: Int

    /// When the first of these failed.
    public internal(set) var failingSince: Date?

    /// Nothing is posted before; `createdAt` for a new webhook.
    public internal(set) var nextAttemptAt: Date

    /// How many of its events were removed from the feed before it could take them, since it was created.
    public internal(set) var droppedEvents: Int

    public init(
        id: WebhookID,
        app: AppID,
        url: WebhookURL,
        kinds: Set<EventType>?,
        sealedSecret: [UInt8],
        createdAt: Date,
        state: WebhookState = .active,
        cursor: EventCursor,
        retryTo: EventCursor? = nil,
        consecutiveFailures: Int = 0,
        failingSince: Date? = nil,
        nextAttemptAt: Date? = nil,
        droppedEvents: Int = 0
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
        self.consecutiveFailures = consecutiveFailures
        self.failingSince = failingSince
        self.nextAttemptAt = nextAttemptAt ?? createdAt
        self.droppedEvents = droppedEvents
    }
}

/// Whether a webhook's receiver is sent to.
public enum WebhookState: Hashable, Sendable {
    /// Why a webhook was disabled.
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The receiver answered 410: it is gone.
        case gone

        /// The receiver failed for too long.
        case failing
    }

    /// Events are sent as they come.
    ///
    /// Can transition to: `paused` by its owner, `disabled` by its receiver.
    case active

    /// Its owner stopped it; it keeps its place in the feed.
    ///
    /// Can transition to: `active` by its owner.
    case paused

    /// The server stopped it; it keeps its place in the feed.
    ///
    /// Can transition to: `active` and `paused` by its owner.
    case disabled(reason: Reason, since: Date)
}

/// A change by the webhook's owner.
public enum WebhookUpdate: Hashable, Sendable {
    case url(WebhookURL)

    /// Other kinds are posted; `nil` for all.
    case kinds(Set<EventType>?)

    /// Nothing is posted until it is activated.
    case pause

    /// Resumes a paused or disabled webhook immediately, at its cursor.
    case activate
}

extension Webhook {
    public mutating func apply(_ change: WebhookUpdate, now: Date) {
        switch change {
        case .url(let url): self.url = url
        case .kinds(let kinds): self.kinds = kinds
        case .pause: self.state = .paused
        case .activate:
            self.state = .active
            self.consecutiveFailures = 0
            self.failingSince = nil
        }
        // The change may have fixed the failure.
        self.nextAttemptAt = now
    }

    /// The receiver has taken the events up to a cursor, or has no interest in them.
    public mutating func advance(to cursor: EventCursor, now: Date) {
        self.cursor = max(self.cursor, cursor)
        self.retryTo = nil
        self.consecutiveFailures = 0
        self.failingSince = nil
        self.nextAttemptAt = now
    }

    /// A request failed.
    ///
    /// - Returns: why the webhook is disabled by this, or `nil`.
    public mutating func fail(_ failure: WebhookDeliveryUpdate.Failure, now: Date) -> WebhookState.Reason? {
        let since = self.failingSince ?? now
        self.failingSince = since
        self.consecutiveFailures.add(clamping: 1)
        self.retryTo = failure.cursor
        self.nextAttemptAt = now.addingTimeInterval(failure.retryAfter / .seconds(1))
        guard case .active = self.state else { return nil }
        let isTooLong = now.timeIntervalSince(since) >= failure.disableAfter / .seconds(1)
        guard failure.isGone || isTooLong else { return nil }
        let reason: WebhookState.Reason = failure.isGone ? .gone : .failing
        self.state = .disabled(reason: reason, since: now)
        return reason
    }

    /// Events were removed from the feed that the receiver has not taken.
    ///
    /// `cursor` is the last of them. `count` is the number of them that the receiver would have got.
    public mutating func lose(to cursor: EventCursor, count: Int) {
        guard cursor > self.cursor else { return }
        self.cursor = cursor
        self.droppedEvents.add(clamping: count)
        if let retryTo = self.retryTo, retryTo <= cursor { self.retryTo = nil }
    }
}
