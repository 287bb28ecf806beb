// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Cron
public import Foundation

/// Work that recurs: on each occurrence of its schedule there is one run of it.
public struct Job: Hashable, Sendable {
    public static let maximumPerApp = 1000

    /// How many runs of a job are kept that have ended; the oldest go first.
    public static let keptRuns = 1000

    public let id: JobID
    public let app: AppID
    public internal(set) var definition: JobDefinition

    /// Whether its occurrences pass without a run.
    public internal(set) var isPaused: Bool

    /// The next occurrence of its schedule of which nothing was made so far; `nil` when there is none.
    public internal(set) var nextAt: Date?

    /// When it was made; kept to the millisecond.
    public let createdAt: Date

    /// When its definition was changed last.
    public internal(set) var updatedAt: Date

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
        let span = Int64(clamping: Double(self.definition.policy.jitterSeconds) * 1000)
        guard span > 0 else { return occurrence }
        let offset = JobHash(self, dueAt: occurrence).share(ofMilliseconds: span)
        return Date(millisecondsSince1970: occurrence.millisecondsSince1970.addingClamping(offset))
    }

    /// When somebody has to look after its next occurrence; `nil` when there is none, or it is paused.
    public var dueAt: Date? { self.isPaused ? nil : self.nextAt.map(self.beginning) }

    public func hasRoom(beside open: Int) -> Bool { open < self.definition.policy.capacity }

    /// It is defined anew: occurrences that are due by a schedule that stays are not lost by that.
    ///
    /// `nil` for `isPaused` keeps the current value.
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

    public mutating func pass(_ agenda: JobAgenda) { self.nextAt = agenda.nextAt }

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
    public let job: Job

    /// Its newest run, whether or not it has ended; `nil` when there was none.
    public let lastRun: JobRun?

    public init(job: Job, lastRun: JobRun?) {
        self.job = job
        self.lastRun = lastRun
    }
}

/// When a job is run, what it does, and how.
public struct JobDefinition: Hashable, Sendable, Codable {
    public var schedule: Schedule
    public var work: JobWork
    public var policy: JobPolicy

    public init(schedule: Schedule, work: JobWork, policy: JobPolicy = JobPolicy()) {
        self.schedule = schedule
        self.work = work
        self.policy = policy
    }
}

/// What a job does.
public enum JobWork: Hashable, Sendable, Codable {
    /// Sends a message to an audience: each run makes one campaign.
    case campaign(JobCampaign)

    /// Changes the Live Activities that fit a query.
    case activities(JobActivities)

    /// Calls the receiver of a webhook, signed.
    case webhook(JobWebhook)

    /// Is done by a program that has registered the job under its name.
    case code

    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case notification
        case campaign
        case activities
        case webhook
        case code
    }

    public var kind: Kind {
        switch self {
        case .campaign(let campaign): campaign.source == nil ? .notification : .campaign
        case .activities: .activities
        case .webhook: .webhook
        case .code: .code
        }
    }
}

/// Which receiver a job calls, and what with.
public struct JobWebhook: Hashable, Sendable, Codable {
    /// The app's webhook: its URL is called, and its secret signs.
    public var webhook: WebhookID

    /// What the receiver is given beside the name of the job and the run; `nil` for nothing.
    public var body: JSONFragment?

    public init(webhook: WebhookID, body: JSONFragment? = nil) {
        self.webhook = webhook
        self.body = body
    }
}
