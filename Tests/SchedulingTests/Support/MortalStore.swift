// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import StoreTesting
import Synchronization

/// A store as one process sees it that dies after some steps of planning.
final class MortalStore: ForwardingStore {
    let base: any PushStore
    private let steps: Mutex<Int>
    private let arrives: Bool
    private let died: AsyncStream<Void>.Continuation

    /// Ends when the process is dead.
    let death: AsyncStream<Void>

    /// - Parameters:
    ///   - base: the store.
    ///   - steps: how many steps the process lives for.
    ///   - arrives: whether the last step arrives without the process hearing of it, or not at all.
    init(_ base: any PushStore, steps: Int, arrives: Bool) {
        self.base = base
        self.steps = Mutex(steps)
        self.arrives = arrives
        (self.death, self.died) = AsyncStream.makeStream()
    }

    func forward<Value>(_ body: () async throws -> Value) async throws -> Value {
        guard self.steps.withLock({ $0 > 0 }) else {
            throw StoreError(code: .unavailable, message: "the process is dead")
        }
        return try await body()
    }

    func advance(_ step: CampaignStep, planner: WorkerID, leaseDuration: Duration, now: Date) async throws {
        try await self.step {
            try await self.base.advance(step, planner: planner, leaseDuration: leaseDuration, now: now)
        }
    }

    func rollOut(
        _ shard: RolloutShard,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> ActivityRollout {
        try await self.step {
            try await self.base.rollOut(shard, planner: planner, leaseDuration: leaseDuration, now: now)
        }
    }

    private func step<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await self.forward {
            let isLast = self.steps.withLock { steps in
                steps -= 1
                return steps == 0
            }
            guard isLast else { return try await body() }
            if self.arrives { _ = try await body() }
            self.died.finish()
            throw StoreError(code: .unavailable, message: "the process is dead")
        }
    }
}
