// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The feed: what happened, in an order that never changes, kept for a while.
///
/// Events are written in the same transaction as what they tell of: `accept`, `settle`, `close`, `cancel` and what a
/// claim expires append theirs, and so does every call that documents one. Either both are stored or neither.
///
/// **A cursor never skips an event.** Once ``events(of:after:limit:kinds:)`` has answered a cursor, no event of that app
/// becomes visible before it. A store that commits one change at a time gets that from a rising number. One that commits
/// several at once must see to it: a transaction that drew a smaller number may commit later. It draws the numbers of an
/// app's events under a lock of that app's feed, as the last thing before the commit, so that what appends to the same
/// feed waits for one commit and for nothing else; what appends no event takes no lock. To order by the transaction
/// instead, and to answer only what is older than every transaction that runs, would need no lock, but one long
/// transaction, in PostgreSQL even one of another database, would hold up the feeds of all apps.
public protocol EventStore: Sendable {
    /// Appends events that nothing else is stored with, in their order, in one transaction.
    ///
    /// Signals ``StoreChange/eventsAppended(_:)``.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app; nothing is appended then.
    func append(_ events: [EventDraft]) async throws

    /// A part of an app's feed, the oldest event first.
    ///
    /// A filter may leave few of many: the store looks through at most 10,000 events for one answer, which may hold none
    /// of them although more follow.
    /// - Parameters:
    ///   - app: the app; one that does not exist has none.
    ///   - cursor: behind which event to begin; `nil` begins at the oldest that is kept. One older than the page's
    ///     ``EventPage/oldest`` has missed events: the page then begins at the oldest that is kept.
    ///   - limit: the most events to answer, 1...1000.
    ///   - kinds: the kinds to answer; `nil` for all.
    /// - Returns: the events and where to go on.
    /// - Throws: ``StoreError``.
    func events(
        of app: AppID,
        after cursor: EventCursor?,
        limit: Int,
        kinds: Set<EventKind>?
    ) async throws -> EventPage

    /// The newest place of an app's feed: whoever begins behind it gets what happens from now on.
    func latestEvent(of app: AppID) async throws -> EventCursor

    /// Removes old events of all apps, the oldest first, in several short transactions.
    ///
    /// A webhook that has not taken them yet is moved behind them, and counts those that it would have got as lost.
    /// - Parameters:
    ///   - time: older events are removed.
    ///   - count: how many events of each app are kept at most.
    /// - Returns: how many were removed.
    /// - Throws: ``StoreError``; what was removed before stays removed.
    @discardableResult
    func pruneEvents(before time: Date, keeping count: Int) async throws -> Int
}
