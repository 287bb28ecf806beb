// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushStore
import Synchronization

/// Prepares what comes due for many activities at one instant, shortly before that: at its time only writing is left.
struct TransitionPreparer: Sendable {
    /// How many activities are prepared as one part, and written in one transaction: others that write wait for no more.
    static let partSize = 500

    /// From how many on it is worth it: fewer are carried out within milliseconds.
    static let fewest = 50

    /// How many seconds ahead is looked.
    static let headSeconds = 2.0

    /// How long not to look again, in seconds.
    private static let pauseSeconds = 0.25

    let store: any ActivityStore
    let book: PreparationBook
    let now: @Sendable () -> Date
    let metrics: ActivityMetrics
    let logger: Logger

    /// Prepares whenever it is told to look, until `looks` ends or the task is cancelled.
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

/// What is prepared for instants that have not come, and how far that is for each of them.
///
/// What comes due beside what there is room for is carried out as it is found then.
final class PreparationBook: Sendable {
    /// How much is kept, but for the last page, which may go beyond it.
    struct Bounds: Sendable {
        var activities = 10_000
        var phones = 50_000
        /// Unit: bytes, as ``PreparedTransitions/size`` estimates them.
        var size = 64 << 20
    }

    private struct State {
        var parts: [PreparedTransitions] = []
        /// The last activity that was looked at for each instant.
        var places: [Date: Int64] = [:]
    }

    /// How far ahead of the time anything is kept, in seconds: what is farther was prepared before the clock was set back, and
    /// is prepared anew.
    private let farthest: Double
    private let bounds: Bounds
    private let state = Mutex(State())

    init(farthest: Double, bounds: Bounds = Bounds()) {
        self.farthest = farthest
        self.bounds = bounds
    }

    /// Whether there is room for one more page of so many activities.
    func hasRoom(for count: Int) -> Bool {
        self.state.withLock { state in
            let kept = state.parts.reduce(into: (activities: 0, phones: 0, size: 0)) { kept, part in
                kept.activities += part.count
                kept.phones += part.phoneCount
                kept.size += part.size
            }
            return kept.activities + count <= self.bounds.activities && kept.phones < self.bounds.phones
                && kept.size < self.bounds.size
        }
    }

    /// The last activity that was looked at for an instant; `nil` before the first.
    func place(of instant: Date) -> Int64? { self.state.withLock { $0.places[instant] } }

    /// Keeps what was prepared for an instant.
    ///
    /// `place` is the last activity that was looked at for the instant; `nil` if there were no more.
    func add(_ parts: [PreparedTransitions], for instant: Date, through place: Int64?) {
        self.state.withLock { state in
            state.parts += parts
            if let place { state.places[instant] = place }
        }
    }

    /// Takes out what is due by a time, the first first, and forgets what is farther ahead than anything is prepared.
    func take(by now: Date) -> [PreparedTransitions] {
        let begin = now.addingTimeInterval(-self.farthest)
        let end = now.addingTimeInterval(self.farthest)
        return self.state.withLock { state in
            if state.parts.isEmpty, state.places.isEmpty { return [] }
            let due = state.parts.filter { $0.dueAt <= now }
            state.parts.removeAll { $0.dueAt <= now || $0.dueAt > end }
            // Whoever prepares an instant while it comes goes on where that was, and does not begin anew.
            state.places = state.places.filter { $0.key > begin && $0.key <= end }
            return due.sorted { $0.dueAt < $1.dueAt }
        }
    }
}
