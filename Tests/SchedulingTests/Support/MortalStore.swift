// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Synchronization

/// A store as seen by a process that terminates after some steps of campaigns, rollouts or jobs.
final class MortalStore: StoreDecorator {
    let base: any PushStore & SQLBacked
    let probe: StoreProbe?
    private let life: Life
    private let arrives: Bool
    private let died: AsyncStream<Void>.Continuation

    /// Ends when the process has terminated.
    let death: AsyncStream<Void>

    /// - Parameters:
    ///   - base: the store.
    ///   - steps: how many steps the process lives for.
    ///   - arrives: whether the last step is stored, although the process receives no result, or not at all.
    init(_ base: any PushStore & SQLBacked, steps: Int, arrives: Bool) {
        let life = Life(steps)
        self.base = base
        self.probe = StoreProbe(before: { _ in try life.check() })
        self.life = life
        self.arrives = arrives
        (self.death, self.died) = AsyncStream.makeStream()
    }

    func advance(_ step: FanOutStep, planner: WorkerID, leaseDuration: Duration, now: Date) async throws {
        try await self.step {
            try await self.base.advance(step, planner: planner, leaseDuration: leaseDuration, now: now)
        }
    }

    func rollOut(
        _ shard: RolloutPage,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> ActivityRollout {
        try await self.step {
            try await self.base.rollOut(shard, planner: planner, leaseDuration: leaseDuration, now: now)
        }
    }

    func carryOut(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws -> JobRun {
        try await self.step { try await self.base.carryOut(lease, leaseDuration: leaseDuration, now: now) }
    }

    private func step<Value>(_ body: () async throws -> Value) async throws -> Value {
        guard try self.life.takesLastStep() else { return try await body() }
        if self.arrives { _ = try await body() }
        self.died.finish()
        throw Life.error
    }
}

private final class Life: Sendable {
    static let error = StoreError(code: .unavailable, message: "the process is dead")

    private let left: Mutex<Int>

    init(_ steps: Int) { self.left = Mutex(steps) }

    /// Throws if the process has terminated.
    func check() throws {
        guard self.left.withLock({ $0 > 0 }) else { throw Self.error }
    }

    func takesLastStep() throws -> Bool {
        try self.left.withLock { left in
            guard left > 0 else { throw Self.error }
            left -= 1
            return left == 0
        }
    }
}
