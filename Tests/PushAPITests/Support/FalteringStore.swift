// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Synchronization

/// A store that fails, as often as the test says, at what is asked of it once a request was accepted.
struct FalteringStore: ForwardingStore {
    enum Call: Hashable {
        /// How far a notification has come.
        case standing

        /// What became of its targets.
        case outcomes

        /// Keeping an answer for repetitions.
        case keeping
    }

    /// How often each call fails from now on.
    final class Faults: Sendable {
        private let left: Mutex<[Call: Int]>

        init(_ left: [Call: Int]) {
            self.left = Mutex(left)
        }

        /// How often a call is still to fail.
        func left(_ call: Call) -> Int { self.left.withLock { $0[call, default: 0] } }

        /// Nothing fails any more.
        func clear() { self.left.withLock { $0 = [:] } }

        fileprivate func take(_ call: Call) throws {
            let fails = self.left.withLock { left in
                guard let count = left[call], count > 0 else { return false }
                left[call] = count - 1
                return true
            }
            if fails { throw StoreError(code: .unavailable, message: "the connection broke") }
        }
    }

    let base: any PushStore
    let faults: Faults

    func notification(_ id: NotificationID) async throws -> NotificationStatus? {
        try self.faults.take(.standing)
        return try await self.base.notification(id)
    }

    func failures(
        of notification: NotificationID,
        after cursor: APNsID?,
        limit: Int
    ) async throws -> Page<TargetOutcome, APNsID> {
        try self.faults.take(.outcomes)
        return try await self.base.failures(of: notification, after: cursor, limit: limit)
    }

    func outcomes(of batches: [BatchID]) async throws -> [BatchID: BatchOutcomes] {
        try self.faults.take(.outcomes)
        return try await self.base.outcomes(of: batches)
    }

    func setAnswer(_ answer: IdempotencyRecord.Answer, for slot: IdempotencySlot) async throws {
        try self.faults.take(.keeping)
        try await self.base.setAnswer(answer, for: slot)
    }
}
