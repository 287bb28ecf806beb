// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import Foundation
import JSONSchema
import PushModel
import Testing

@Suite("What jobs do")
struct JobWorkTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func lifecycle(_ state: String?) throws -> ActivityLifecycle {
        ActivityLifecycle(
            state: .active,
            timestamp: 1_767_225_600,
            contentState: try state.map { try RawJSONObject(json: $0) }
        )
    }

    private func work(condition: String? = nil, change: ActivityChange) throws -> JobActivities {
        JobActivities(
            attributesType: "Lesson",
            condition: try condition.map { try RawJSONObject(json: $0) },
            change: change
        )
    }

    @Test(
        "an activity is changed when its content state has what is asked for",
        arguments: [
            (#"{"status":"active"}"#, #"{"status":"active","n":1}"#, true),
            (#"{"status":"active"}"#, #"{"status":"ending"}"#, false),
            (#"{"status":"active"}"#, #"{"n":1}"#, false),
            (#"{"n":1}"#, #"{"n":1.0}"#, true),
            (#"{"n":{"a":[1,"x"]}}"#, #"{"n":{"a":[1.0,"x"]}}"#, true),
            (#"{"gone":null}"#, #"{"n":1}"#, true),
            (#"{"gone":null}"#, #"{"gone":1}"#, false),
            (#"{}"#, #"{"n":1}"#, true),
        ]
    )
    func condition(_ condition: String, _ state: String, _ isChanged: Bool) throws {
        let change = ActivityChange(contentState: .patched(try RawJSONObject(json: #"{"new":true}"#)))
        let work = try self.work(condition: condition, change: change)
        #expect(try work.concerns(self.lifecycle(state)) == isChanged)
    }

    @Test("an activity that the change would leave as it is, is passed over, unless it ends")
    func unchanged() throws {
        let patch = ActivityChange(contentState: .patched(try RawJSONObject(json: #"{"status":"ending"}"#)))
        #expect(try self.work(change: patch).concerns(self.lifecycle(#"{"status":"active"}"#)))
        #expect(try !self.work(change: patch).concerns(self.lifecycle(#"{"status":"ending"}"#)))
        let whole = ActivityChange(contentState: .replaced(try RawJSONObject(json: #"{"b":2.0,"a":1}"#)))
        #expect(try !self.work(change: whole).concerns(self.lifecycle(#"{"a":1,"b":2}"#)))
        #expect(try self.work(change: whole).concerns(self.lifecycle(#"{"a":1}"#)))
        var end = patch
        end.end = .immediate
        #expect(try self.work(change: end).concerns(self.lifecycle(#"{"status":"ending"}"#)))
        #expect(try self.work(change: ActivityChange(staleDate: .after(seconds: 60))).concerns(self.lifecycle("{}")))
        #expect(try !self.work(condition: #"{"a":1}"#, change: end).concerns(self.lifecycle(nil)))
    }

    @Test("what the type converts is compared as it is kept, so that a date in text changes an activity once")
    func converted() throws {
        let schema = try JSONSchema(json: Array(#"{"properties":{"at":{"format":"swift-date","convert":true}}}"#.utf8))
        let patch = ActivityChange(contentState: .patched(try RawJSONObject(json: #"{"at":"2026-03-01T09:00:00Z"}"#)))
        let work = try self.work(change: patch)
        #expect(try work.concerns(self.lifecycle(#"{"at":1}"#), schema: schema))
        #expect(try !work.concerns(self.lifecycle(#"{"at":794048400}"#), schema: schema))
        #expect(try work.concerns(self.lifecycle(#"{"at":794048400}"#)))
        let whole = ActivityChange(contentState: .replaced(try RawJSONObject(json: #"{"at":"2026-03-01T09:00:00Z"}"#)))
        #expect(try !self.work(change: whole).concerns(self.lifecycle(#"{"at":794048400.0}"#), schema: schema))
    }

    @Test("a copy of a campaign lasts as long, and keeps its time of the day")
    func copies() throws {
        let message = CampaignMessage(fallback: try MessageTemplate(APNsPayload(json: #"{"aps":{"alert":"hi"}}"#)))
        let local = LocalStart(time: try LocalTime("2025-06-01T09:00"), fallbackZone: "Asia/Seoul", sendIfPassed: false)
        let source = Campaign(
            id: CampaignID(now: self.now),
            app: "com.example.app",
            name: "Morning",
            audience: .all,
            message: message,
            start: .local(local),
            ratePerSecond: 5,
            expiresAt: CampaignStart.local(local).planningTime(createdAt: .distantPast).addingTimeInterval(7200),
            createdAt: Date(timeIntervalSince1970: 0)
        )
        let work = JobCampaign(copying: source)
        #expect(work.lifetimeSeconds == 7200)
        let schedule = try Schedule.cron("@daily")
        let definition = JobDefinition(schedule: schedule, work: .campaign(work))
        #expect(definition.work.kind == .campaign)
        let job = Job(id: "job", app: "com.example.app", definition: definition, now: self.now)
        let run = JobRun(
            id: JobRunID(of: job, dueAt: self.now),
            trigger: .schedule,
            dueAt: self.now,
            claimableAt: self.now
        )
        let campaign = work.campaign(of: run, by: job, now: self.now)
        #expect(campaign.id == run.id.campaign)
        #expect(campaign.name == "Morning")
        // At midnight in UTC the first places have passed 09:00 of that day: it is the next day's.
        guard case .local(let start) = campaign.start else {
            Issue.record("the campaign has no local time")
            return
        }
        #expect(start.time.description == "2026-01-02T09:00")
        #expect(start.fallbackZone == "Asia/Seoul")
        #expect(campaign.planningTime == Date(timeIntervalSince1970: 1_767_294_000))
        #expect(campaign.expiresAt == campaign.planningTime.addingTimeInterval(7200))
    }

    @Test("what is stored of a job is read again as it was")
    func codable() throws {
        let definition = JobDefinition(
            schedule: try .cron("*/5 8-18 * * MON-FRI", timeZone: "Asia/Seoul"),
            work: .activities(
                JobActivities(
                    attributesType: "Lesson",
                    state: .active,
                    window: .init(instant: "endsAt", fromSeconds: -60, untilSeconds: 960),
                    condition: try RawJSONObject(json: #"{"a" : 1.0}"#),
                    change: ActivityChange(
                        contentState: .patched(try RawJSONObject(json: #"{"b":null}"#)),
                        end: .standard
                    )
                )
            ),
            policy: JobPolicy(overlap: .allow, misfire: .runAll(within: 60), jitterSeconds: 1, maxRetries: 2)
        )
        let data = try JSONEncoder().encode(definition)
        #expect(try JSONDecoder().decode(JobDefinition.self, from: data) == definition)
    }

    @Test(
        "names of jobs are those that stand in paths",
        arguments: ["", "a:run", "ä", "a/b", String(repeating: "a", count: 65)]
    )
    func names(_ text: String) {
        #expect(JobID(rawValue: text) == nil)
        #expect(JobID(rawValue: "lesson-ending_1.x") != nil)
    }
}
