// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel

/// Detects terminated workers by locks that end with their process.
///
/// It only ends leases early. Claims, the checks of settlements and the duration of leases do not depend on it. So a
/// wrong result costs pushes that are sent twice under the same `apns-id`, and never a wrong settlement.
public protocol WorkerLiveness: Sendable {
    /// Holds the lock of a worker until the task is cancelled, and acquires it again if it is lost.
    ///
    /// It also returns if the store is closed. The lock then looks like that of a terminated worker: leases may be
    /// left.
    /// - Throws: ``UnreliableLocksError``, and ``StoreError`` if the lock cannot be acquired.
    func hold(_ worker: WorkerID) async throws

    /// The workers whose locks are free; `nil` if this process does not hold its own, as no result is reliable then.
    func terminatedWorkers() async throws -> [WorkerID]?

    /// Ends the leases of a worker if its lock is free, all in one transaction, and wakes every subscriber.
    ///
    /// The leases are those of the worker, and of the workers whose IDs begin with its ID and `/`. May be repeated.
    ///
    /// The items count one interruption each, also the activities that the worker noted. An item with two interruptions
    /// within an hour waits for ``tryNextSuspect(now:)``; one with three is quarantined.
    /// - Returns: how many leases ended, by kind of work; nothing for kinds without leases.
    func expireLeases(of worker: WorkerID, now: Date) async throws -> [WorkKind: Int]

    /// Makes the next item with two interruptions claimable, unless another one of them is being tried.
    ///
    /// An item is tried until it is released, makes progress or was claimable for a minute; then its interruptions are
    /// forgotten. A process that terminates meanwhile quarantines it and no other such item.
    func tryNextSuspect(now: Date) async throws

    /// Records the activities whose due transitions this process executes next, because they have no lease; replaces
    /// the former record.
    ///
    /// If this process terminates, another one counts an interruption of each. Does nothing without the lock.
    func note(_ activities: [Int64]) async throws

    /// Returns the activities with due work, in the order of `carryOutTransitions(limit:only:now:)`.
    func dueActivities(limit: Int, now: Date) async throws -> [DueActivity]

    /// Forgets the interruptions of activities that were decided without a crash.
    func forgetInterruptions(ofActivities numbers: [Int64]) async throws
}

public struct DueActivity: Hashable, Sendable {
    public let number: Int64
    public let id: ActivityID

    /// The number of processes that were terminated while they executed its due work.
    public let interruptions: Int

    package init(stored row: StoredRow) throws {
        self.number = try row.int64("number")
        self.id = try row.identifier("id")
        self.interruptions = try row.number("interruptions")
    }
}

/// The locks do not show which workers have terminated; leases still expire after their duration.
public struct UnreliableLocksError: Error, Hashable, CustomStringConvertible {
    public let description: String

    package init(_ description: String) { self.description = description }
}
