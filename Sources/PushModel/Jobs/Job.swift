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

    /// The next occurrence of its schedule that has no run; `nil` if there is none.
    public internal(set) var nextRunAt: Date?

    /// When it was made; kept to the millisecond.
    public let createdAt: Date

    /// When its definition was changed last.
    public internal(set) var updatedAt: Date

    public init(
        id: JobID,
        app: AppID,
        definition: JobDefinition,
        isPaused: Bool,
        nextRunAt: Date?,
        createdAt: Date,
        updatedAt: Date
    ) {
        self.id = id
        self.app = app
        self.definition = definition
        self.isPaused = isPaused
        self.nextRunAt = nextRunAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }

    /// Creates a job whose first occurrence is after `now`.
    public init(id: JobID, app: AppID, definition: JobDefinition, isPaused: Bool = false, now: Date) {
        self.init(
            id: id,
            app: app,
            definition: definition,
            isPaused: isPaused,
            nextRunAt: definition.schedule.next(after: now),
            createdAt: Date(millisecondsSince1970: now.millisecondsSince1970),
            updatedAt: Date(millisecondsSince1970: now.millisecondsSince1970)
        )
    }

    /// When a run begins that is due at a time: up to the jitter later.
    public func beginning(of occurrence: Date) -> Date {
        let span = Int64(clamping: Double(self.definition.policy.jitterSeconds) * 1000)
        guard span > 0 else { return occurrence }
        let offset = OccurrenceHash(self, dueAt: occurrence).share(ofMilliseconds: span)
        return Date(millisecondsSince1970: occurrence.millisecondsSince1970.addingClamping(offset))
    }

    /// When a scheduler must process its next occurrence; `nil` if there is none, or the job is paused.
    public var dueAt: Date? { self.isPaused ? nil : self.nextRunAt.map(self.beginning) }

    public func hasRoom(beside open: Int) -> Bool { open < self.definition.policy.capacity }

    /// Replaces the definition; due occurrences of an unchanged schedule are not lost.
    ///
    /// `nil` for `isPaused` keeps the current value.
    public mutating func define(_ definition: JobDefinition, isPaused: Bool?, now: Date) {
        if definition != self.definition { self.updatedAt = Date(millisecondsSince1970: now.millisecondsSince1970) }
        if definition.schedule != self.definition.schedule { self.nextRunAt = definition.schedule.next(after: now) }
        self.definition = definition
        switch isPaused {
        case true?: self.pause()
        case false?: self.resume(now: now)
        case nil: break
        }
    }

    public mutating func pass(_ agenda: DueOccurrences) { self.nextRunAt = agenda.nextRunAt }

    public mutating func pause() { self.isPaused = true }

    /// Resumes the job; occurrences during the pause are not run.
    public mutating func resume(now: Date) {
        guard self.isPaused else { return }
        self.isPaused = false
        self.nextRunAt = self.definition.schedule.next(after: now)
    }
}

/// A job with its state.
public struct JobStatus: Hashable, Sendable {
    public let job: Job

    /// Its latest run, whether or not it has ended; `nil` if there was none.
    public let lastRun: JobRun?

    public init(job: Job, lastRun: JobRun?) {
        self.job = job
        self.lastRun = lastRun
    }
}

/// The schedule, the action and the policy of a job.
public struct JobDefinition: Hashable, Sendable, Codable {
    public var schedule: Schedule
    public var work: JobAction
    public var policy: JobPolicy

    public init(schedule: Schedule, work: JobAction, policy: JobPolicy = JobPolicy()) {
        self.schedule = schedule
        self.work = work
        self.policy = policy
    }
}

/// The action of a job.
public enum JobAction: Hashable, Sendable, Codable {
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

/// The webhook that a job calls, and the content of the call.
public struct JobWebhook: Hashable, Sendable, Codable {
    /// The app's webhook: its URL is called, and its secret signs.
    public var webhook: WebhookID

    /// Additional content of the call, besides the names of the job and the run; `nil` for none.
    public var body: RawJSONObject?

    public init(webhook: WebhookID, body: RawJSONObject? = nil) {
        self.webhook = webhook
        self.body = body
    }
}
