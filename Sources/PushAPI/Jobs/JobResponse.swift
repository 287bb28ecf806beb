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
    let type: String
    let schedule: JobScheduleResponse
    let notification: JobCampaignResponse?
    let campaign: String?
    let activities: JobActivitiesResponse?
    let webhook: JobWebhookResponse?
    let overlap: String
    let misfire: String
    let misfireGraceSeconds: Int?
    let jitterSeconds: Int
    let maxRetries: Int
    let timeoutSeconds: Int
    let paused: Bool
    let nextRunAt: Date?
    let createdAt: Date
    let updatedAt: Date
    let lastRun: JobRunResponse?

    init(_ status: JobStatus) throws {
        let job = status.job
        let policy = job.definition.policy
        self.app = job.app.rawValue
        self.id = job.id.rawValue
        self.type = job.definition.work.kind.rawValue
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
        case .runOnce(let limit): (self.misfire, self.misfireGraceSeconds) = ("run_once", limit)
        case .runAll(let limit): (self.misfire, self.misfireGraceSeconds) = ("run_all", limit)
        case .skip: (self.misfire, self.misfireGraceSeconds) = ("skip", nil)
        }
        self.jitterSeconds = policy.jitterSeconds
        self.maxRetries = policy.maxRetries
        self.timeoutSeconds = policy.timeoutSeconds
        self.paused = job.isPaused
        self.nextRunAt = job.isPaused ? nil : job.nextRunAt
        self.createdAt = job.createdAt
        self.updatedAt = job.updatedAt
        self.lastRun = status.lastRun.map(JobRunResponse.init)
    }
}

/// When a job is run, as returned by the API.
struct JobScheduleResponse: Encodable {
    let cron: String?
    let timeZone: String?
    let dstPolicy: DSTPolicy?
    let everySeconds: Int64?
    let from: Date?

    init(_ schedule: Schedule) {
        switch schedule {
        case .cron(let schedule):
            self.cron = schedule.expression.description
            self.timeZone = schedule.timeZone
            self.dstPolicy = schedule.dstPolicy
            (self.everySeconds, self.from) = (nil, nil)
        case .every(let schedule):
            (self.cron, self.timeZone, self.dstPolicy) = (nil, nil, nil)
            self.everySeconds = schedule.interval.components.seconds
            self.from = schedule.first
        }
    }
}

/// The message of a job, as returned by the API.
struct JobCampaignResponse: Encodable {
    struct Local: Encodable {
        let time: String
        let fallbackZone: String
        let sendIfPassed: Bool
    }

    let name: String?
    let audience: JSONValue
    let message: MessageBody
    let ratePerSecond: Int?
    let expiresAfterSeconds: Int?
    let local: Local?

    init(_ work: JobCampaign) {
        self.name = work.name
        self.audience = work.audience.json
        self.message = MessageBody(work.message)
        self.ratePerSecond = work.ratePerSecond
        self.expiresAfterSeconds = work.lifetimeSeconds
        switch work.start {
        case .now: self.local = nil
        case .local(let start):
            self.local = Local(
                time: String(start.time.description.dropFirst(11)),
                fallbackZone: start.fallbackZone,
                sendIfPassed: start.sendIfPassed
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
    let nextCursor: String?
}

/// Which activities a job changes, and how, as returned by the API.
struct JobActivitiesResponse: Encodable {
    struct Instant: Encodable {
        let name: String
        let fromSeconds: Int
        let untilSeconds: Int
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
        self.instant = work.window.map {
            Instant(name: $0.instant.rawValue, fromSeconds: $0.fromSeconds, untilSeconds: $0.untilSeconds)
        }
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
    let processedCount: Int
    let reason: String?
    let message: String?
    let responseStatus: Int?
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
        self.processedCount = run.processedCount
        self.reason = run.skip?.rawValue
        self.message = run.message
        self.responseStatus = run.responseStatus
        self.campaign = run.campaign?.description
    }
}

/// A page of runs, as returned by the API.
struct JobRunListResponse: Encodable {
    let runs: [JobRunResponse]
    let nextCursor: String?
}
