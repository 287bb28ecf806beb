// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: job runs", .timeLimit(.minutes(20)))
struct JobRunTests {
    @Test(
        "each occurrence becomes one run of one scheduler, whatever their clocks show",
        arguments: TestStoreBackend.allCases
    )
    func oneRunOfOccurrence(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.greeting())
            let runs = try await store.claimRuns(after: 59.999)
            #expect(runs == [], "what is due too early")
            let claimed = try await store.claimRun(after: 60)
            #expect(claimed.run.dueAt == StoreFixtures.after(60), "when it was due")
            #expect(claimed.run.startedAt == StoreFixtures.after(60), "when it began")
            // One clock is behind, one has stepped back.
            for seconds in [60.0, 58, 61, -3600] {
                let other = try await store.claimRuns(after: seconds, by: StoreFixtures.otherWorker)
                #expect(other == [], "what another one gets after \(seconds) s")
            }
            _ = try await store.carryOut(claimed, after: 61)
            // One clock goes ahead, and the schedule is put anew by one that is behind.
            let ahead = try await store.claimRun(after: 121.5, by: StoreFixtures.otherWorker)
            _ = try await store.carryOut(ahead, after: 121.6)
            var definition = try JobSamples.greeting()
            definition.schedule = try .cron("*/1 * * * *")
            _ = try await store.put(definition, now: StoreFixtures.after(119))
            let runsBefore = try await store.claimRuns(after: 120.5)
            #expect(runsBefore == [], "what was made before")
            let dueAts = try await store.history().map(\.dueAt)
            #expect(dueAts == [120, 60].map(StoreFixtures.after), "the runs")
        }
    }

    @Test("the campaign of a run is made once, whoever dies before or behind it", arguments: TestStoreBackend.allCases)
    func campaignOnce(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.greeting())
            let dead = try await store.claimRun(after: 60)
            let runs = try await store.claimRuns(after: 74.9, by: StoreFixtures.otherWorker)
            #expect(runs == [], "what is leased")
            let claimed = try await store.claimRun(after: 75, by: StoreFixtures.otherWorker)
            #expect(claimed.run.id == dead.run.id, "the run that is taken over")
            #expect(claimed.run.attempt == 2, "the attempt")
            try await expectError(.leaseLost, "a step without a lease") { _ = try await store.step(dead, after: 75) }
            let run = try await store.step(claimed, after: 76)
            #expect(run.state == .succeeded, "what it came to")
            #expect(run.campaign == claimed.run.id.campaign, "the campaign")
            try await expectError(.leaseLost, "a step without a lease") { _ = try await store.step(claimed, after: 77) }
            let campaigns = try await store.campaigns(of: StoreFixtures.app, after: nil, limit: 10).elements
            try #require(campaigns.map(\.campaign.id) == [claimed.run.id.campaign], "the campaigns")
            #expect(campaigns[0].campaign.name == JobSamples.id.rawValue, "its name")
            #expect(campaigns[0].campaign.ratePerSecond == 10, "its rate")
            #expect(campaigns[0].campaign.expiresAt == StoreFixtures.after(676), "when it is over")
            let remainingRuns = try await store.claimRuns(after: 100)
            #expect(remainingRuns == [], "what is left")
        }
    }

    @Test(
        "an activity is changed once by a job that gives it a date as a text, which its type converts",
        arguments: TestStoreBackend.allCases
    )
    func convertDates(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson()
            _ = try await store.keep(ActivityFixtures.registered(ActivityFixtures.rules))
            let activities = JobActivities(
                attributesType: ActivityFixtures.type,
                change: try ActivityFixtures.patch(#"{"endTime":"2026-03-01T09:00:00Z"}"#)
            )
            try await store.addJob(JobDefinition(schedule: try .cron("* * * * *"), work: .activities(activities)))
            for (seconds, processed) in [(60.0, 1), (120.0, 0)] {
                let run = try await store.carryOut(try await store.claimRun(after: seconds), after: seconds)
                #expect(run.processedCount == processed, "how many are changed after \(seconds) s")
            }
            let lifecycle = try await store.lesson().lifecycle
            #expect(lifecycle.version == 2, "the version")
            let state = String(decoding: lifecycle.contentState?.bytes ?? [], as: UTF8.self)
            #expect(state.contains("794048400"), "the state is \(state)")
        }
    }

    @Test(
        "activities that fit are changed page by page, each once, whoever dies in between",
        arguments: TestStoreBackend.allCases
    )
    func changeInPages(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.ending())
            let ends = ["endsAt": StoreFixtures.after(900)] as [InstantName: Date]
            for number in 0..<510 {
                let id = ActivityID(unchecked: "lesson \(number)")
                let activity = try ActivityFixtures.activity(id, instants: ends)
                _ = try await store.createActivity(activity, startingOn: [], now: StoreFixtures.now)
            }
            _ = try await store.tell(ActivityFixtures.upload(1), "lesson 7")
            let dead = try await store.claimRun(after: 60)
            let first = try await store.step(dead, after: 60)
            #expect(first.processedCount == 500, "the first page")
            let claimed = try await store.claimRun(after: 75, by: StoreFixtures.otherWorker)
            #expect(claimed.run.processedCount == 500, "what is done")
            try await expectError(.leaseLost, "a step without a lease") { _ = try await store.step(dead, after: 75) }
            let run = try await store.carryOut(claimed, after: 75)
            #expect([run.processedCount, run.attempt] == [510, 2], "what was done")
            #expect(run.state == .succeeded, "what it came to")
            for id in ["lesson 0", "lesson 7", "lesson 509"] as [ActivityID] {
                let lifecycleVersion = try await store.lesson(id).lifecycle.version
                #expect(lifecycleVersion == 2, "the version of '\(id)'")
            }
            let pushes = ActivityFixtures.payloads(try await store.claimOne(now: StoreFixtures.after(76)))
            try #require(pushes.count == 1, "the pushes")
            #expect(pushes[0].contains(#""status":"ending""#), "the state is not sent")
            let again = try await store.claimRun(after: 120)
            let processed = try await store.carryOut(again, after: 120).processedCount
            #expect(processed == 0, "what is changed again")
        }
    }

    @Test(
        "only activities of the type, in the span and with the state are changed",
        arguments: TestStoreBackend.allCases
    )
    func changeMatching(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.ending())
            let cases: [(id: ActivityID, ends: Double, state: String)] = [
                ("fits", 1019, #"{"status":"active","n":1}"#), ("later", 1020, #"{"status":"active"}"#),
                ("before", 59, #"{"status":"active"}"#), ("other", 600, #"{"status":"moved"}"#),
                ("ended", 600, #"{"status":"active"}"#), ("first", 60, #"{"status":"active"}"#),
            ]
            for (id, ends, state) in cases {
                let activity = try ActivityFixtures.activity(
                    id,
                    state: state,
                    instants: ["endsAt": StoreFixtures.after(ends)]
                )
                _ = try await store.createActivity(activity, startingOn: [], now: StoreFixtures.now)
            }
            _ = try await store.change(ActivityChange(end: .immediate), "ended")
            let claimed = try await store.claimRun(after: 60)
            let processed = try await store.carryOut(claimed, after: 61).processedCount
            #expect(processed == 2, "how many are changed")
            for (id, version) in [("fits", 2), ("later", 1), ("before", 1), ("other", 1), ("first", 2)] {
                let lesson = try await store.lesson(ActivityID(unchecked: id))
                #expect(lesson.lifecycle.version == version, "the version of '\(id)'")
            }
        }
    }

    @Test(
        "a lease that is extended holds, and one that is given back is free at once",
        arguments: TestStoreBackend.allCases
    )
    func lease(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.code())
            let scope = JobSelection.code(StoreFixtures.app, [JobSamples.id])
            let claimed = try await store.claimRun(after: 60, scope: scope)
            try await store.extendJobLease(
                claimed.lease,
                leaseDuration: JobSamples.lease,
                now: StoreFixtures.after(70)
            )
            let early = try await store.claimRuns(after: 84, by: StoreFixtures.otherWorker, scope: scope)
            #expect(early == [], "what is leased")
            try await store.releaseJobRun(claimed.lease, now: StoreFixtures.after(84))
            let other = try await store.claimRun(after: 84, by: StoreFixtures.otherWorker, scope: scope)
            try await store.releaseJobRun(claimed.lease, now: StoreFixtures.after(84))
            try await expectError(.leaseLost, "what goes on without a lease") {
                try await store.extendJobLease(claimed.lease, leaseDuration: JobSamples.lease, now: StoreFixtures.now)
            }
            // A worker that claims its own run anew has another lease.
            let same = try await store.claimRun(after: 200, by: StoreFixtures.otherWorker, scope: scope)
            try await expectError(.leaseLost, "what goes on without a lease") {
                try await store.finishJobRun(other.lease, as: JobRunResult(.succeeded), now: StoreFixtures.after(200))
            }
            try await store.finishJobRun(same.lease, as: JobRunResult(.succeeded), now: StoreFixtures.after(200))
        }
    }
}
