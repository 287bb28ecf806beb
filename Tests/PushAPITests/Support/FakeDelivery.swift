// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import StoreTesting

/// Claims batches and settles them with outcomes of the test's choice, as the delivery service would.
struct FakeDelivery: Sendable {
    static let worker: WorkerID = "test-worker"

    let store: any PushStore
    private let changes: AsyncStream<StoreChange>

    /// Begins to listen; make it before the batch is accepted.
    init(store: any PushStore) {
        self.store = store
        self.changes = store.changes()
    }

    /// Waits for the next batch and settles all of it.
    ///
    /// - Parameter outcome: what becomes of each target.
    /// - Returns: the batch as it was claimed.
    @discardableResult
    func settleNext(_ outcome: @Sendable (Int, Target) -> Outcome = { _, _ in .delivered }) async throws -> Batch? {
        for await change in self.changes {
            guard case .batchReady(let lane) = change, let batch = try await self.claim(lane) else { continue }
            try await self.settle(batch, outcome)
            return batch.batch
        }
        return nil
    }

    /// Settles everything as it comes, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - outcome: what becomes of each target.
    ///   - isSettled: is told of each batch once it is settled; `false` ends it.
    func settleAll(
        _ outcome: @Sendable (Int, Target) -> Outcome = { _, _ in .delivered },
        _ isSettled: @Sendable (Batch) -> Bool = { _ in true }
    ) async throws {
        for await change in self.changes {
            guard case .batchReady(let lane) = change else { continue }
            // Several batches of one notification come with one signal.
            while let claimed = try await self.claim(lane) {
                try await self.settle(claimed, outcome)
                guard isSettled(claimed.batch) else { return }
            }
        }
    }

    /// Waits for the next batch and claims it; `nil` when the task is cancelled.
    func claimNext() async throws -> ClaimedBatch? {
        for await change in self.changes {
            if case .batchReady(let lane) = change, let claimed = try await self.claim(lane) { return claimed }
        }
        return nil
    }

    /// Claims a batch that is ready, if there is one.
    func claim(_ lane: Lane) async throws -> ClaimedBatch? {
        let claimed = try await self.store.claim(
            lane: lane,
            limit: 1,
            worker: Self.worker,
            leaseDuration: .seconds(60),
            now: TestTime.start
        )
        return claimed.first
    }

    /// Settles a claimed batch from its cursor on.
    func settle(_ claimed: ClaimedBatch, _ outcome: (Int, Target) -> Outcome = { _, _ in .delivered }) async throws {
        try await self.store.settle(Self.settlement(of: claimed, outcome), now: TestTime.start)
    }

    /// What settles a claimed batch from its cursor on.
    static func settlement(of claimed: ClaimedBatch, _ outcome: (Int, Target) -> Outcome) -> Settlement {
        let range = claimed.cursor..<claimed.batch.targets.count
        let failures: [Settlement.Failure] = range.compactMap { index in
            let result = outcome(index, claimed.batch.targets[index])
            return result == .delivered ? nil : Settlement.Failure(index: index, outcome: result)
        }
        return Settlement(of: claimed, range: range, failures: failures)
    }
}
