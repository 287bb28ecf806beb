// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Cron

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Work that recurs: on each occurrence of its schedule there is one run of it.
public struct Job: Hashable, Sendable {
    /// The most jobs of one app.
    public static let maximumPerApp = 1000

    /// How many runs of a job are kept that have ended; the oldest go first.
    public static let keptRuns = 1000

    /// Names the job within its app.
    public let id: JobID

    /// The app for which it works.
    public let app: AppID

    /// When it is run, what it does, and how.
    public internal(set) var definition: JobDefinition

    /// Whether its occurrences pass without a run.
    public internal(set) var isPaused: Bool

    /// The next occurrence of its schedule of which nothing was made so far; `nil` when there is none.
    public internal(set) var nextAt: Date?

    /// When it was made; kept to the millisecond.
    public let createdAt: Date

    /// When its definition was changed last.
    public internal(set) var updatedAt: Date

    /// Restores a job from its parts.
    ///
    /// - Parameters:
    ///   - id: its name within the app.
    ///   - app: the app for which it works.
    ///   - definition: when it is run, what it does, and how.
    ///   - isPaused: whether its occurrences pass without a run.
    ///   - nextAt: the next occurrence of which nothing was made so far.
    ///   - createdAt: when it was made.
    ///   - updatedAt: when its definition was changed last.
    public init(
        id: JobID,
        app: AppID,
        definition: JobDefinition,
        isPaused: Bool,
        nextAt: Date?,
        createdAt: Date,
        updatedAt: Date
    ) {
        self.id = id
        self.app = app
        self.definition = definition
        self.isPaused = isPaused
        self.nextAt = nextAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// Makes a job, the first occurrence of which lies behind now.
    ///
    /// - Parameters:
    ///   - id: its name within the app.
    ///   - app: the app for which it works.
    ///   - definition: when it is run, what it does, and how.
    ///   - isPaused: whether its occurrences pass without a run.
    ///   - now: when it is made.
    public init(id: JobID, app: AppID, definition: JobDefinition, isPaused: Bool = false, now: Date) {
        self.init(
            id: id,
            app: app,
            definition: definition,
            isPaused: isPaused,
            nextAt: definition.schedule.next(after: now),
            createdAt: Date(millisecondsSince1970: now.millisecondsSince1970),
            updatedAt: Date(millisecondsSince1970: now.millisecondsSince1970)
        )
    }

    /// When a run begins that is due at a time: up to the jitter later.
    public func beginning(of occurrence: Date) -> Date {
        let span = Int64(self.definition.policy.jitterSeconds) * 1000
        guard span > 0 else { return occurrence }
        let offset = JobHash(self, dueAt: occurrence).share(ofMilliseconds: span)
        return Date(millisecondsSince1970: occurrence.millisecondsSince1970 + offset)
    }

    /// When somebody has to look after its next occurrence; `nil` when there is none, or it is paused.
    public var dueAt: Date? { self.isPaused ? nil : self.nextAt.map(self.beginning) }

    /// Whether another run may be open beside so many that are.
    public func hasRoom(beside open: Int) -> Bool { open < self.definition.policy.capacity }

    /// It is defined anew: occurrences that are due by a schedule that stays are not lost by that.
    ///
    /// - Parameters:
    ///   - definition: what it is from now on.
    ///   - isPaused: whether it is paused from now on; `nil` leaves that as it is.
    ///   - now: when it is defined anew.
    public mutating func define(_ definition: JobDefinition, isPaused: Bool?, now: Date) {
        if definition != self.definition { self.updatedAt = Date(millisecondsSince1970: now.millisecondsSince1970) }
        if definition.schedule != self.definition.schedule { self.nextAt = definition.schedule.next(after: now) }
        self.definition = definition
        switch isPaused {
        case true?: self.pause()
        case false?: self.resume(now: now)
        case nil: break
        }
    }

    /// What was due has become of it what an agenda says.
    public mutating func pass(_ agenda: JobAgenda) { self.nextAt = agenda.nextAt }

    /// Its occurrences pass without a run from now on.
    public mutating func pause() { self.isPaused = true }

    /// It is run again; what has passed while it was paused is not made up for.
    public mutating func resume(now: Date) {
        guard self.isPaused else { return }
        self.isPaused = false
        self.nextAt = self.definition.schedule.next(after: now)
    }
}

/// A job, and how it stands.
public struct JobStatus: Hashable, Sendable {
    /// The job.
    public let job: Job

    /// Its newest run, whether or not it has ended; `nil` when there was none.
    public let lastRun: JobRun?

    /// Takes a job and its newest run.
    public init(job: Job, lastRun: JobRun?) {
        self.job = job
        self.lastRun = lastRun
    }
}
