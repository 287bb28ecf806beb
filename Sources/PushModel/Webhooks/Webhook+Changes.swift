// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a webhook's owner may change.
public enum WebhookChange: Hashable, Sendable {
    /// Events are posted elsewhere.
    case url(WebhookURL)

    /// Other kinds are posted; `nil` for all.
    case kinds(Set<EventKind>?)

    /// Nothing is posted until it is activated.
    case pause

    /// What was paused or disabled goes on at once, from where it was.
    case activate
}

extension Webhook {
    /// Its owner changes something.
    ///
    /// - Parameters:
    ///   - change: what.
    ///   - now: when.
    public mutating func apply(_ change: WebhookChange, now: Date) {
        switch change {
        case .url(let url): self.url = url
        case .kinds(let kinds): self.kinds = kinds
        case .pause: self.state = .paused
        case .activate:
            self.state = .active
            self.failures = 0
            self.failingSince = nil
        }
        // Whatever was changed may have healed it.
        self.nextAttempt = now
    }

    /// The receiver has taken the events up to a cursor, or has no interest in them.
    ///
    /// - Parameters:
    ///   - cursor: the last of these events.
    ///   - now: when.
    public mutating func advance(to cursor: EventCursor, now: Date) {
        self.cursor = max(self.cursor, cursor)
        self.retryTo = nil
        self.failures = 0
        self.failingSince = nil
        self.nextAttempt = now
    }

    /// A request failed.
    ///
    /// - Parameters:
    ///   - failure: what it would have brought, and what is to follow.
    ///   - now: when.
    /// - Returns: why the webhook is disabled by this, or `nil`.
    public mutating func fail(_ failure: WebhookSettlement.Failure, now: Date) -> WebhookState.Reason? {
        let since = self.failingSince ?? now
        self.failingSince = since
        self.failures += 1
        self.retryTo = failure.cursor
        self.nextAttempt = now.addingTimeInterval(failure.retryAfter / .seconds(1))
        guard case .active = self.state else { return nil }
        let isTooLong = now.timeIntervalSince(since) >= failure.disableAfter / .seconds(1)
        guard failure.isGone || isTooLong else { return nil }
        let reason: WebhookState.Reason = failure.isGone ? .gone : .failing
        self.state = .disabled(reason: reason, since: now)
        return reason
    }

    /// Events were removed from the feed that the receiver has not taken.
    ///
    /// - Parameters:
    ///   - cursor: the last one that was removed.
    ///   - count: how many of them it would have got.
    public mutating func lose(to cursor: EventCursor, count: Int) {
        guard cursor > self.cursor else { return }
        self.cursor = cursor
        self.lost += count
        if let retryTo = self.retryTo, retryTo <= cursor { self.retryTo = nil }
    }
}
