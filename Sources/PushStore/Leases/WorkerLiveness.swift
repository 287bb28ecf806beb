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
    /// It also returns if the store is closed. The lock then looks like that of a terminated worker, because leases may
    /// be left.
    /// - Throws: ``UnreliableLocksError``, and ``StoreError`` if the lock cannot be acquired.
    func hold(_ worker: WorkerID) async throws

    /// The workers whose locks are free.
    ///
    /// Empty if this process does not hold its own lock, because then no result is reliable.
    /// - Throws: ``UnreliableLocksError``, and ``StoreError``.
    func terminatedWorkers() async throws -> [WorkerID]

    /// Ends the leases of a worker if its lock is free, all in one transaction, and wakes every subscriber.
    ///
    /// The leases are those of the worker, and of the workers whose IDs begin with its ID and `/`. May be repeated.
    /// - Returns: how many leases ended, by kind of work; nothing for kinds without leases.
    func expireLeases(of worker: WorkerID, now: Date) async throws -> [String: Int]
}

/// The locks of this store do not tell which workers have terminated.
///
/// Leases still expire after their duration.
public struct UnreliableLocksError: Error, Hashable, CustomStringConvertible {
    /// Why the locks are unreliable.
    public let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }

    /// The reason.
    public var description: String { self.reason }
}
