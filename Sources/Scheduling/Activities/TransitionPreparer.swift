// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushStore
import Synchronization

/// Prepares transitions of many activities that are due at one instant, so that they only have to be written then.
struct TransitionPreparer: Sendable {
    /// The most activities in one part, which is one transaction, because other writers wait for it.
    static let partSize = 500

    /// The minimum number of activities to prepare: fewer are executed within milliseconds.
    static let fewest = 50

    /// How far ahead transitions are prepared, in seconds.
    static let headSeconds = 2.0

    /// The minimum time between two passes, in seconds.
    private static let pauseSeconds = 0.25

    let store: any ActivityQueue
    let book: PreparationCache
    let now: @Sendable () -> Date
    let metrics: ActivityMetrics
    let logger: Logger

    /// Prepares transitions at each element of `looks`, until that ends or the task is cancelled.
    func run(_ looks: AsyncStream<Void>) async {
        var last = Date.distantPast
        for await _ in looks {
            let now = self.now()
            guard now.timeIntervalSince(last).magnitude >= Self.pauseSeconds else { continue }
            last = now
            do {
                try await self.prepare(from: now)
            } catch is CancellationError {
                return
            } catch {
                self.logger.warning(
                    "Failed to prepare transitions; executing them when they are due",
                    metadata: ["error": "\(error)"]
                )
            }
        }
    }

    /// Prepares each instant within reach, and continues those for which more transitions were scheduled since.
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

/// A cache of prepared transitions, with the progress of each instant.
///
/// Transitions that exceed its bounds are read and executed when they are due.
final class PreparationCache: Sendable {
    /// The size of the cache; the last page can exceed it.
    struct Bounds: Sendable {
        var activities = 10_000
        var phones = 50_000
        /// Unit: bytes, as ``ActivityChangeSet/size`` estimates them.
        var size = 64 << 20
    }

    private struct State {
        var parts: [ActivityChangeSet] = []
        /// The last activity that was read for each instant.
        var places: [Date: Int64] = [:]
    }

    /// How far ahead of the current time transitions are kept, in seconds.
    ///
    /// Those that are farther were prepared before the clock was set back, and are prepared again.
    private let farthest: Double
    private let bounds: Bounds
    private let state = Mutex(State())

    init(farthest: Double, bounds: Bounds = Bounds()) {
        self.farthest = farthest
        self.bounds = bounds
    }

    func hasRoom(for count: Int) -> Bool {
        self.state.withLock { state in
            let kept = state.parts.reduce(into: (activities: 0, phones: 0, size: 0)) { kept, part in
                kept.activities += part.count
                kept.phones += part.deviceCount
                kept.size += part.size
            }
            return kept.activities + count <= self.bounds.activities && kept.phones < self.bounds.phones
                && kept.size < self.bounds.size
        }
    }

    func place(of instant: Date) -> Int64? { self.state.withLock { $0.places[instant] } }

    /// `place` is the last activity that was read for the instant; `nil` if there were no more.
    func add(_ parts: [ActivityChangeSet], for instant: Date, through place: Int64?) {
        self.state.withLock { state in
            state.parts += parts
            if let place { state.places[instant] = place }
        }
    }

    /// Removes and returns the due change sets, in order of time, and drops those that are too far ahead.
    func take(by now: Date) -> [ActivityChangeSet] {
        let begin = now.addingTimeInterval(-self.farthest)
        let end = now.addingTimeInterval(self.farthest)
        return self.state.withLock { state in
            if state.parts.isEmpty, state.places.isEmpty { return [] }
            let due = state.parts.filter { $0.time <= now }
            state.parts.removeAll { $0.time <= now || $0.time > end }
            // Keep the progress of recent instants, so that an instant that is being prepared is not started over.
            state.places = state.places.filter { $0.key > begin && $0.key <= end }
            return due.sorted { $0.time < $1.time }
        }
    }
}
