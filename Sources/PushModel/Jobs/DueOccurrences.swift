// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
public import Foundation

/// Decides which due occurrences of a job get runs: a pure function of the stored job and the time.
public struct DueOccurrences: Hashable, Sendable {
    /// One occurrence, and the number of occurrences that it represents.
    public struct Entry: Hashable, Sendable {
        /// When it is due by the schedule.
        public let occurrence: Date

        /// The number of occurrences that it represents, including itself.
        public var count: Int

        /// Why it is left out; `nil` for one that is to be run.
        public let skip: JobRun.Skip?
    }

    /// The maximum number of occurrences that are processed one by one; later ones are left for the next time.
    private static let maximumEntries = 1000

    /// The decision for each occurrence, in the order of their times.
    public private(set) var entries: [Entry] = []

    /// The next occurrence that gets no run yet; `nil` if there is none.
    public private(set) var nextRunAt: Date?

    private var runs = 0
    private let job: Job
    private let open: Int

    /// Decides about the due occurrences of a job.
    ///
    /// `open` is the number of its runs that have not ended.
    public init(_ job: Job, open: Int, now: Date) {
        self.job = job
        self.open = open
        self.nextRunAt = job.nextRunAt
        guard let dueAt = job.dueAt, dueAt <= now, let first = job.nextRunAt else { return }
        let schedule = job.definition.schedule
        let slack = Double(JobMisfirePolicy.toleranceSeconds) + Double(job.definition.policy.jitterSeconds)
        let horizon = now.addingTimeInterval(-slack)
        var carried = 0
        if first <= horizon, let newest = schedule.previous(atOrBefore: horizon), newest >= first {
            let missed = MissedOccurrences(
                count: max(1, schedule.count(after: first.addingTimeInterval(-1), through: newest)),
                newest: newest
            )
            self.nextRunAt = schedule.next(after: newest)
            carried = self.makeUp(for: missed, from: first, now: now)
        }
        var looked = 0
        while let next = self.nextRunAt, job.beginning(of: next) <= now, looked < Self.maximumEntries {
            self.run(next, count: carried.addingClamping(1))
            carried = 0
            looked += 1
            self.nextRunAt = schedule.next(after: next)
        }
    }

    /// Decides about missed occurrences.
    ///
    /// - Returns: how many of them the next occurrence represents.
    private mutating func makeUp(for missed: MissedOccurrences, from first: Date, now: Date) -> Int {
        let schedule = self.job.definition.schedule
        switch self.job.definition.policy.misfire {
        case .skip:
            self.add(missed.newest, count: missed.count, skip: .missed)
        case .runOnce(let limit):
            if let next = self.nextRunAt, self.job.beginning(of: next) <= now { return missed.count }
            guard now.timeIntervalSince(self.job.beginning(of: missed.newest)) <= Double(limit) else {
                self.add(missed.newest, count: missed.count, skip: .missed)
                return 0
            }
            self.run(missed.newest, count: missed.count)
        case .runAll(let limit):
            let earliest = max(first, now.addingTimeInterval(-Double(limit)))
            var made: [Date] = []
            var candidate: Date? = missed.newest
            while let occurrence = candidate, occurrence >= earliest, made.count < JobMisfirePolicy.maximumRuns {
                made.append(occurrence)
                candidate = schedule.previous(atOrBefore: occurrence.addingTimeInterval(-1))
            }
            if made.count < missed.count {
                self.add(candidate ?? first, count: missed.count.subtractingClamping(made.count), skip: .missed)
            }
            for occurrence in made.reversed() { self.run(occurrence, count: 1) }
        }
        return 0
    }

    /// An occurrence is run, if there is room beside the others.
    private mutating func run(_ occurrence: Date, count: Int) {
        let hasRoom = self.job.hasRoom(beside: self.open.addingClamping(self.runs))
        if hasRoom { self.runs += 1 }
        self.add(occurrence, count: count, skip: hasRoom ? nil : .overlap)
    }

    private mutating func add(_ occurrence: Date, count: Int, skip: JobRun.Skip?) {
        let isMore = skip != nil && self.entries.last?.skip == skip
        let former = isMore ? self.entries.removeLast().count : 0
        self.entries.append(Entry(occurrence: occurrence, count: former.addingClamping(count), skip: skip))
    }
}
