// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushStore
import ServiceLifecycle

/// Claims leased work and has it carried out, a bounded number of pieces at once.
///
/// Of what is leased only that counts which has something to do; see ``RunPlaces``.
struct LeasedLoop<Run: LeasedRun>: Sendable {
    let context: Run.Context

    /// Where work is carried out; `nil` is where everything runs.
    let executor: (any TaskExecutor)?

    /// Leases so many pieces at most.
    let claim: @Sendable (Int) async throws -> [Run]

    /// Claims until the service is shut down or the task is cancelled; returns when all that runs has ended.
    ///
    /// `changes` are subscribed to before the first claim. `hear` tells whether a change may have made work. `onStop`
    /// is called when nothing is claimed any more, so that running work can end.
    func run(
        hearing changes: AsyncStream<StoreChange>,
        _ hear: @escaping @Sendable (StoreChange) -> Bool,
        onStop: @escaping @Sendable () -> Void = {}
    ) async {
        let places = RunPlaces(count: self.context.configuration.campaigns)
        await withDiscardingTaskGroup { group in
            group.addTask {
                await cancelWhenGracefulShutdown {
                    for await change in changes where hear(change) { places.signal() }
                }
            }
            group.addTask {
                try? await cancelWhenGracefulShutdown {
                    while true {
                        try await self.context.clock.sleep(for: self.context.configuration.pollInterval)
                        places.signal()
                    }
                }
            }
            await withTaskCancellationOrGracefulShutdownHandler {
                for await _ in places.wakeups {
                    let room = places.takeRoom()
                    let runs = await self.claim(upTo: room)
                    for run in runs {
                        let place = places.begin()
                        group.addTask(executorPreference: self.executor) {
                            place.end(isNews: await run.run(at: place))
                        }
                    }
                    if room > 0, runs.count >= room { places.noteShortage() }
                }
            } onCancelOrGracefulShutdown: {
                places.close()
                onStop()
            }
        }
    }

    private func claim(upTo count: Int) async -> [Run] {
        guard count > 0 else { return [] }
        do {
            return try await self.claim(count)
        } catch {
            // The next signal or poll tries again.
            self.context.logger.error("No \(Run.noun)s can be claimed", metadata: ["error": "\(error)"])
            return []
        }
    }
}

extension Clock where Duration == Swift.Duration {
    /// Begins to measure by this clock.
    ///
    /// - Returns: tells how much time has gone by since then.
    func stopwatch() -> @Sendable () -> Duration {
        let start = self.now
        return { start.duration(to: self.now) }
    }
}

extension Duration {
    /// The time until an instant that a store gave; below zero when it has passed.
    ///
    /// A time that is damaged may lie anywhere, and `seconds(_:)` traps on what no duration holds: the result is at most
    /// 31 years in either direction.
    static func wait(until time: Date, from now: Date) -> Duration {
        .seconds(min(1e9, max(-1e9, time.timeIntervalSince(now))))
    }
}

/// What leased work is carried out by.
protocol LeaseContext: Sendable {
    var configuration: SchedulingConfiguration { get }
    var clock: any Clock<Duration> { get }
    var now: @Sendable () -> Date { get }
    var logger: Logger { get }
}
