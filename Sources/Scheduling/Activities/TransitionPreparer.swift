// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Prepares what comes due for many activities at one instant, shortly before that: at its time only writing is left.
struct TransitionPreparer: Sendable {
    /// How many activities are prepared as one part, and written in one transaction: others that write wait for no more.
    static let partSize = 500

    /// From how many on it is worth it: fewer are carried out within milliseconds.
    static let fewest = 50

    /// How many seconds ahead is looked.
    static let headSeconds = 2.0

    let store: any ActivityStore
    let book: PreparationBook
    let now: @Sendable () -> Date
    let metrics: ActivityMetrics
    let logger: Logger

    /// Prepares whenever it is told to look, until `looks` ends or the task is cancelled.
    func run(_ looks: AsyncStream<Void>) async {
        for await _ in looks {
            do {
                try await self.prepare(from: self.now())
            } catch is CancellationError {
                return
            } catch {
                self.logger.warning(
                    "What comes due for activities could not be prepared; it is carried out without",
                    metadata: ["error": "\(error)"]
                )
            }
        }
    }

    /// Prepares each instant within sight, those again of which more has been planned since.
    private func prepare(from now: Date) async throws {
        let end = now.addingTimeInterval(Self.headSeconds)
        var time = now
        while self.book.hasRoom(for: Self.partSize),
            let instant = try await self.store.crowdedActivityTime(after: time, until: end, count: Self.fewest)
        {
            time = instant
            repeat {
                let page = try await self.store.prepareTransitions(
                    dueAt: instant,
                    after: self.book.place(of: instant),
                    limit: Self.partSize
                )
                self.book.add(page.elements, for: instant, through: page.next)
                self.metrics.count(prepared: page.elements.reduce(0) { $0 + $1.transitions })
                if page.next == nil { break }
            } while self.book.hasRoom(for: Self.partSize) && self.now() < instant && !Task.isCancelled
        }
    }
}
