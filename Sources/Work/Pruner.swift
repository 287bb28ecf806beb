// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
import ServiceLifecycle

/// Deletes rows by age, by a table of rules.
package struct Pruner: Service {
    private let rules: [PruneRule]
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private let onDeleted: @Sendable (_ kind: String, _ count: Int) -> Void
    private let logger: Logger

    /// `onDeleted` gets the count of each kind after the transaction that deleted the rows.
    package init(
        _ rules: [PruneRule],
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date,
        logger: Logger,
        onDeleted: @escaping @Sendable (_ kind: String, _ count: Int) -> Void
    ) {
        self.rules = rules
        self.clock = clock
        self.now = now
        self.logger = logger
        self.onDeleted = onDeleted
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for rule in self.rules { group.addTask { await self.run(rule) } }
            }
        }
    }

    private func run(_ rule: PruneRule) async {
        guard (try? await self.clock.sleep(for: rule.initialDelay)) != nil else { return }
        repeat {
            do {
                for step in rule.steps { try await self.repeated(step, rest: rule.rest) }
            } catch {
                // On shutdown, the rest is deleted after the next start.
                if Task.isCancelled { return }
                let metadata: Logger.Metadata = ["rule": "\(rule.name)", "error": "\(error)"]
                self.logger.warning("Failed to prune old records", metadata: metadata)
            }
        } while (try? await self.clock.sleep(for: rule.interval)) != nil
    }

    /// Repeats a step until nothing is left to delete.
    private func repeated(_ step: PruneRule.Step, rest: Int) async throws {
        let now = self.now()
        var deleted = PruneRule.Deleted(hasMore: true)
        while deleted.hasMore {
            let duration = try await self.clock.measure { deleted = try await step(now) }
            for (kind, count) in deleted.counts where count > 0 { self.onDeleted(kind, count) }
            try Task.checkCancellation()
            if deleted.hasMore, rest > 0, duration > .zero { try await self.clock.sleep(for: duration * rest) }
        }
    }
}

/// One row of the retention table.
package struct PruneRule: Sendable {
    /// The records that one transaction deleted, by type, and whether more are old enough.
    package struct Deleted: Sendable {
        package var counts: [String: Int]
        package var hasMore: Bool

        package init(_ counts: [String: Int] = [:], hasMore: Bool = false) {
            self.counts = counts
            self.hasMore = hasMore
        }
    }

    /// Deletes a bounded number of rows in one transaction.
    package typealias Step = @Sendable (_ now: Date) async throws -> Deleted

    package var name: String

    package var interval: Duration

    /// The wait before the first time: after a start with a wrong setting or clock, the server can still be stopped.
    package var initialDelay: Duration

    /// The pause between two transactions, as a multiple of the duration of the first.
    package var rest: Int

    /// Applied in this order, each until nothing is left.
    package var steps: [Step]

    package init(
        _ name: String,
        every interval: Duration,
        initialDelay: Duration = .zero,
        rest: Int = 0,
        steps: Step...
    ) {
        self.name = name
        self.interval = interval
        self.initialDelay = initialDelay
        self.rest = rest
        self.steps = steps
    }
}
