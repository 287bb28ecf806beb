// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import Foundation
import PushModel

/// A job, as returned by the API.
struct JobResponse: Encodable {
    let app: String
    let id: String
    let kind: String
    let schedule: JobScheduleResponse
    let notification: JobCampaignResponse?
    let campaign: String?
    let activities: JobActivitiesResponse?
    let webhook: JobWebhookResponse?
    let overlap: String
    let misfire: String
    let misfireWithin: Int?
    let jitter: Int
    let retries: Int
    let deadline: Int
    let paused: Bool
    let nextAt: Date?
    let createdAt: Date
    let updatedAt: Date
    let lastRun: JobRunResponse?

    init(_ status: JobStatus) throws {
        let job = status.job
        let policy = job.definition.policy
        self.app = job.app.rawValue
        self.id = job.id.rawValue
        self.kind = job.definition.work.kind.rawValue
        self.schedule = JobScheduleResponse(job.definition.schedule)
        switch job.definition.work {
        case .campaign(let work):
            self.notification = JobCampaignResponse(work)
            self.campaign = work.source?.description
            (self.activities, self.webhook) = (nil, nil)
        case .activities(let work):
            self.activities = try JobActivitiesResponse(work)
            (self.notification, self.campaign, self.webhook) = (nil, nil, nil)
        case .webhook(let work):
            self.webhook = try JobWebhookResponse(work)
            (self.notification, self.campaign, self.activities) = (nil, nil, nil)
        case .code:
            (self.notification, self.campaign, self.activities, self.webhook) = (nil, nil, nil, nil)
        }
        self.overlap = policy.overlap.rawValue
        switch policy.misfire {
        case .once(let limit): (self.misfire, self.misfireWithin) = ("once", limit)
        case .each(let limit): (self.misfire, self.misfireWithin) = ("each", limit)
        case .skip: (self.misfire, self.misfireWithin) = ("skip", nil)
        }
        self.jitter = policy.jitterSeconds
        self.retries = policy.retries
        self.deadline = policy.deadlineSeconds
        self.paused = job.isPaused
        self.nextAt = job.isPaused ? nil : job.nextAt
        self.createdAt = job.createdAt
        self.updatedAt = job.updatedAt
        self.lastRun = status.lastRun.map(JobRunResponse.init)
    }
}

/// When a job is run, as returned by the API.
struct JobScheduleResponse: Encodable {
    let cron: String?
    let timeZone: String?
    let clockChanges: DSTPolicy?
    let every: Int64?
    let from: Date?

    init(_ schedule: Schedule) {
        switch schedule {
        case .cron(let schedule):
            self.cron = schedule.expression.description
            self.timeZone = schedule.timeZone
            self.clockChanges = schedule.clockChanges
            (self.every, self.from) = (nil, nil)
        case .every(let schedule):
            (self.cron, self.timeZone, self.clockChanges) = (nil, nil, nil)
            self.every = schedule.interval.components.seconds
            self.from = schedule.first
        }
    }
}

/// The message of a job, as returned by the API.
struct JobCampaignResponse: Encodable {
    struct Local: Encodable {
        let time: String
        let fallbackZone: String
        let sendPassed: Bool
    }

    let name: String?
    let audience: JSONValue
    let message: MessageBody
    let throttle: Int?
    let expiresAfter: Int?
    let local: Local?

    init(_ work: JobCampaign) {
        self.name = work.name
        self.audience = work.audience.json
        self.message = MessageBody(work.message)
        self.throttle = work.throttle
        self.expiresAfter = work.lifetimeSeconds
        switch work.start {
        case .now: self.local = nil
        case .local(let start):
            self.local = Local(
                time: String(start.time.description.dropFirst(11)),
                fallbackZone: start.fallbackZone,
                sendPassed: start.sendPassed
            )
        }
    }
}

/// Which receiver a job calls, as returned by the API.
struct JobWebhookResponse: Encodable {
    let webhook: String
    let body: JSONValue?

    init(_ work: JobWebhook) throws {
        self.webhook = work.webhook.rawValue
        self.body = try work.body.map { try JSONValue(json: $0.bytes) }
    }
}

/// A page of jobs, as returned by the API.
struct JobListResponse: Encodable {
    let jobs: [JobResponse]
    let next: String?
}

/// Which activities a job changes, and how, as returned by the API.
struct JobActivitiesResponse: Encodable {
    struct Instant: Encodable {
        let name: String
        let from: Int
        let until: Int
    }

    private enum CodingKeys: String, CodingKey {
        case attributesType
        case state
        case instant
        case condition = "where"
        case change
    }

    let attributesType: String
    let state: String?
    let instant: Instant?
    let condition: JSONValue?
    let change: ActivityChangeResponse

    init(_ work: JobActivities) throws {
        self.attributesType = work.attributesType.rawValue
        self.state = work.state?.rawValue
        self.instant = work.window.map { Instant(name: $0.instant.rawValue, from: $0.from, until: $0.until) }
        self.condition = try work.condition.map { try JSONValue(json: $0.bytes) }
        self.change = try ActivityChangeResponse(work.change)
    }
}

/// A run of a job, as returned by the API.
struct JobRunResponse: Encodable {
    let id: String
    let trigger: String
    let dueAt: Date
    let state: String
    let occurrences: Int
    let attempts: Int
    let startedAt: Date?
    let endedAt: Date?
    let processed: Int
    let reason: String?
    let message: String?
    let answerStatus: Int?
    let campaign: String?

    init(_ run: JobRun) {
        self.id = run.id.description
        self.trigger = run.trigger.rawValue
        self.dueAt = run.dueAt
        self.state = run.state.rawValue
        self.occurrences = run.occurrences
        self.attempts = run.attempt
        self.startedAt = run.startedAt
        self.endedAt = run.endedAt
        self.processed = run.processed
        self.reason = run.skip?.rawValue
        self.message = run.message
        self.answerStatus = run.answerStatus
        self.campaign = run.campaign?.description
    }
}

/// A page of runs, as returned by the API.
struct JobRunListResponse: Encodable {
    let runs: [JobRunResponse]
    let next: String?
}
