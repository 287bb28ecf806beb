// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import Synchronization

/// The groups of a store: calls that share transactions with others of their kind.
package final class CallGroups: Sendable {
    /// The largest number of targets of a call that shares its transaction with others.
    static let maximumTargets = 100

    /// The largest number of calls in one transaction.
    package static let maximumCalls = 256

    let registrations: CallGroup<RegistrationCall, Result<StoredRegistration, any Error>>
    let endpoints: CallGroup<(draft: NewEndpoint, now: Date), (device: Device, isNew: Bool)>
    let acceptances: CallGroup<Acceptance, Result<Void, any Error>>
    let settlements: CallGroup<TimedSettlement, Result<BookedSettlement, any Error>>

    /// Creates groups that wait only briefly for locks, as on PostgreSQL; SQLite always waits its whole timeout.
    package init(waitsBriefly: Bool) {
        self.registrations = CallGroup(waitsBriefly: waitsBriefly)
        self.endpoints = CallGroup(waitsBriefly: waitsBriefly)
        self.acceptances = CallGroup(waitsBriefly: waitsBriefly)
        self.settlements = CallGroup(waitsBriefly: waitsBriefly)
    }
}

/// Lets the calls that arrive during a transaction share the next one; lookups on PostgreSQL share a round trip.
///
/// The first call starts immediately, so an idle server commits a single call without delay. Calls that arrive before
/// it is durable wait; then one of them starts a transaction for all of them. If the transaction of several calls
/// fails, each runs in a separate one: a call never fails because of another one. So does a single call whose
/// transaction met a lock, so that the next ones do not wait for that lock with it.
package final class CallGroup<Item: Sendable, Value: Sendable>: Sendable {
    /// Returns a value for each item, in their order.
    ///
    /// If it throws, nothing was stored. If `waitsBriefly`, other calls wait for the end of the transaction, so it must
    /// not wait long for a lock.
    package typealias Change = (_ items: [Item], _ waitsBriefly: Bool) async throws -> [Value]

    private enum Turn: Sendable {
        case lead
        case alone
        case done(Result<Value, any Error>)
    }

    private struct Call {
        let item: Item
        let continuation: CheckedContinuation<Turn, Never>
    }

    private struct State {
        var isRunning = false
        var waiting: [Call] = []
    }

    /// The largest number of calls in one transaction.
    private let limit: Int
    private let waitsBriefly: Bool
    private let state = Mutex(State())

    /// The number of calls that wait for the next transaction.
    package var waitingCount: Int { self.state.withLock { $0.waiting.count } }

    package init(limit: Int = CallGroups.maximumCalls, waitsBriefly: Bool = true) {
        self.limit = max(1, limit)
        self.waitsBriefly = waitsBriefly
    }

    /// Executes an item with the next transaction, and returns its value; the changes are durable then.
    ///
    /// `change` is called with this item alone, or with those of several calls. Only one of these calls runs `change`.
    package func run(_ item: Item, _ change: Change) async throws -> Value {
        switch await self.turn(of: item) {
        case .lead: try await self.lead(item, change)
        case .alone: try await Self.alone(item, change)
        case .done(let result): try result.get()
        }
    }

    private func turn(of item: Item) async -> Turn {
        let isFirst = self.state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { return .lead }
        return await withCheckedContinuation { continuation in
            let mayLead = self.state.withLock { state in
                guard state.isRunning else {
                    // The transaction has ended since.
                    state.isRunning = true
                    return true
                }
                state.waiting.append(Call(item: item, continuation: continuation))
                return false
            }
            if mayLead { continuation.resume(returning: .lead) }
        }
    }

    private func lead(_ item: Item, _ change: Change) async throws -> Value {
        let others = self.state.withLock { state in
            let others = Array(state.waiting.prefix(self.limit - 1))
            state.waiting.removeFirst(others.count)
            return others
        }
        let result: Result<[Value], any Error>
        do {
            result = .success(try await change([item] + others.map(\.item), self.waitsBriefly))
        } catch {
            result = .failure(error)
        }
        // First, so that the next transaction begins before all the others continue.
        self.passLead()
        switch result {
        case .success(let values) where values.count == others.count + 1:
            for (call, value) in zip(others, values.dropFirst()) {
                call.continuation.resume(returning: .done(.success(value)))
            }
            return values[0]
        case .failure(let error)
        where others.isEmpty && !(self.waitsBriefly && (error as? StoreError)?.code == .locked):
            throw error
        case .failure(let error as StoreError) where error.code == .unavailable:
            // Each of them would only wait for the same database.
            for call in others { call.continuation.resume(returning: .done(.failure(error))) }
            throw error
        case .success, .failure:
            for call in others { call.continuation.resume(returning: .alone) }
            return try await Self.alone(item, change)
        }
    }

    private static func alone(_ item: Item, _ change: Change) async throws -> Value {
        guard let value = try await change([item], false).first else {
            throw StoreError.invalid("A group returned no value for its only call.")
        }
        return value
    }

    private func passLead() {
        let next = self.state.withLock { state -> Call? in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.continuation.resume(returning: .lead)
    }
}
