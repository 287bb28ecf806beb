// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting

/// A store that reports each stored step of planning, with the time at which it was planned.
final class StepStore: StoreDecorator {
    let base: any PushStore & SQLBacked

    /// The stored steps.
    let steps: AsyncStream<(step: FanOutStep, now: Date)>

    private let stored: AsyncStream<(step: FanOutStep, now: Date)>.Continuation

    init(_ base: any PushStore & SQLBacked) {
        self.base = base
        (self.steps, self.stored) = AsyncStream.makeStream()
    }

    func advance(_ step: FanOutStep, planner: WorkerID, leaseDuration: Duration, now: Date) async throws {
        try await self.base.advance(step, planner: planner, leaseDuration: leaseDuration, now: now)
        self.stored.yield((step, now))
    }
}
