// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// A part of an app's feed, and where the next part begins.
public struct EventPage: Hashable, Sendable {
    /// The events, the oldest first.
    public let events: [Event]

    /// What to pass as `after` to go on, now or when there are more events.
    public let next: EventCursor

    /// Whether more events may follow at once.
    public let hasMore: Bool

    /// The oldest cursor behind which every event is still kept; whoever stands before it has missed some.
    public let oldest: EventCursor

    /// Takes events and places.
    ///
    /// - Parameters:
    ///   - events: the events, the oldest first.
    ///   - next: where to go on.
    ///   - hasMore: whether more events may follow at once.
    ///   - oldest: the oldest cursor behind which every event is kept.
    public init(events: [Event], next: EventCursor, hasMore: Bool, oldest: EventCursor) {
        self.events = events
        self.next = next
        self.hasMore = hasMore
        self.oldest = oldest
    }
}
