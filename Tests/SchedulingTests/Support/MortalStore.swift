// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore
import SQLStore
import StoreTesting
import Synchronization

/// A store as seen by a process that terminates after some steps of campaigns, rollouts or jobs.
final class MortalStore: StoreDecorator {
    let base: any PushStore & SQLBacked
    let probe: StoreProbe?

    /// Ends when the process has terminated.
    let death: AsyncStream<Void>

    /// - Parameters:
    ///   - base: the store.
    ///   - steps: how many steps the process lives for.
    ///   - arrives: whether the last step is stored, although the process receives no result, or not at all.
    init(_ base: any PushStore & SQLBacked, steps: Int, arrives: Bool) {
        let (death, died) = AsyncStream.makeStream(of: Void.self)
        let life = Life(steps: steps)
        let end: @Sendable () throws -> Void = {
            died.finish()
            throw Life.error
        }
        self.base = base
        self.death = death
        self.probe = StoreProbe(
            before: { if try life.takesLastStep($0), !arrives { try end() } },
            after: { if life.isOver, Life.steps.contains($0) { try end() } }
        )
    }
}

private final class Life: Sendable {
    static let error = StoreError(code: .unavailable, message: "the process is dead")

    static let steps: Set = [
        "advance(_:planner:leaseDuration:now:)", "carryOut(_:leaseDuration:now:)",
        "rollOut(_:planner:leaseDuration:now:)",
    ]

    private let left: Mutex<Int>

    var isOver: Bool { self.left.withLock { $0 == 0 } }

    init(steps: Int) { self.left = Mutex(steps) }

    /// Throws if the process has terminated.
    func takesLastStep(_ operation: String) throws -> Bool {
        try self.left.withLock { left in
            guard left > 0 else { throw Self.error }
            guard Self.steps.contains(operation) else { return false }
            left -= 1
            return left == 0
        }
    }
}
