// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Cron
import Foundation
import PushModel
import Testing

@Suite("Values that only a corrupt row or file can hold")
struct CorruptValueTests {
    private let now = Date(millisecondsSince1970: 1_770_000_000_000)
    private let never = Date(timeIntervalSince1970: 1e300)

    private func batch(targets: Int = 1) throws -> Batch {
        let target = Target(token: try DeviceToken(bytes: [1, 2, 3]), environment: .sandbox)
        let plan = try BatchedNotification(
            app: "com.example.app",
            lane: .bulk,
            headers: NotificationHeaders(topic: Topic("com.example.app")),
            payload: APNsPayload(json: "{}"),
            targets: Array(repeating: target, count: targets),
            now: self.now
        )
        return try #require(plan.batches.first)
    }

    @Test("a date has milliseconds however far away it is")
    func dates() throws {
        #expect(self.never.millisecondsSince1970 == .max)
        #expect(Date(timeIntervalSince1970: -1e300).millisecondsSince1970 == .min)
        #expect(Date(timeIntervalSince1970: -1e300).secondsSince1970 == -9_223_372_036_854_776)
        #expect(Deferral(index: 0, notBefore: self.never).notBefore.millisecondsSince1970 == .max)
        let bytes: [UInt8] = [1, 0, 0, 0, 1, 0, 0, 0, 0, 0x7F] + Array(repeating: 0xFF, count: 7)
        #expect(try DeferralList.decode(bytes).count == 1)
        #expect(BatchID(now: self.never).createdAt <= Date.distantFuture.addingTimeInterval(1e12))
        #expect(HourlyPushCounter().count(now: self.never) == 0)
        var pushes = HourlyPushCounter()
        pushes.add(now: self.never)
        #expect(pushes.room(limit: 1, now: self.never) != nil)
    }

    @Test("an activity whose version and timestamp are the greatest keeps them")
    func activity() throws {
        var lifecycle = ActivityLifecycle(
            version: .max,
            timestamp: .max,
            contentState: try RawJSONObject(json: "{}"),
            startedAt: self.never
        )
        #expect(lifecycle.end(isPlanned: false) != nil)
        let change = ActivityChange(staleDate: .after(seconds: .max), end: .after(seconds: .max))
        _ = try lifecycle.apply([change], fixedBytes: 0, now: self.now)
        #expect(lifecycle.version == .max)
        #expect(lifecycle.timestamp == .max)
        #expect(lifecycle.staleDate == .max)
        var other = ActivityLifecycle(timestamp: 0, contentState: try RawJSONObject(json: "{}"))
        #expect(throws: ActivityError.self) {
            try other.apply([ActivityChange(relevanceScore: 1)], fixedBytes: .max, now: self.now)
        }
        let limits = Data(#"{"policy":"warn","limits":{"hourly":-9223372036854775808,"frequentHourly":0}}"#.utf8)
        let budget = try JSONDecoder().decode(PushBudget.self, from: limits)
        #expect(budget.limit(frequentUpdates: false) == 1)
    }

    @Test("a content state that an older version stored can be patched, although it is refused today")
    func patch() throws {
        #expect(throws: InvalidValueError.self) { try RawJSONObject(json: #"{"a":1e999}"#) }
        #expect(throws: InvalidValueError.self) { try RawJSONObject(json: #"{"a":"\ud800"}"#) }
        let stored = try RawJSONObject(storedJSON: Array(#"{"a":1e999,"b":"\ud800"}"#.utf8))
        var lifecycle = ActivityLifecycle(timestamp: 0, contentState: stored)
        let patch = ActivityChange(contentState: .patched(try RawJSONObject(json: #"{"c":1}"#)))
        _ = try lifecycle.apply([patch], fixedBytes: 0, now: self.now)
        let state = try #require(lifecycle.contentState)
        #expect(String(decoding: state.bytes, as: UTF8.self) == "{\"a\":1e+308,\"b\":\"\u{FFFD}\",\"c\":1}")
    }

    @Test("a rollout goes on behind a last batch that is the last one of all, and counts up to the greatest number")
    func rollout() throws {
        let text = """
            {"revision":9223372036854775807,"place":0,"openBatches":[],"nextOrdinal":9223372036854775807,"expected":0,
            "lastBatch":"ffffffff-ffff-ffff-ffff-ffffffffc000","counts":{"startsSent":9223372036854775807,
            "alreadyParticipating":1,"withoutToken":1,"otherEnvironment":9223372036854775807}}
            """
        let progress = try JSONDecoder().decode(RolloutProgress.self, from: Data(text.utf8))
        #expect(progress.remaining == 0)
        var rollout = ActivityRollout(
            id: RolloutID(now: self.now),
            audience: .all,
            ratePerSecond: .max,
            createdAt: self.now,
            progress: progress,
            claimableAt: self.now,
            setbacks: .max
        )
        let batch = try self.batch()
        let part = BatchedNotification.Part(
            lane: .bulk,
            headers: batch.headers,
            payload: batch.payload,
            targets: batch.targets
        )
        let batches = rollout.makeBatches([part, part], of: "com.example.app", now: self.now)
        #expect(batches.count == 2)
        let pace = RolloutLimits(turn: .seconds(60))
        #expect(rollout.next(now: self.now, pace: pace, backlog: RolloutBacklog(targets: .max)) == .waitForRoom)
        let planner: WorkerID = "planner"
        let isClaimed = rollout.claim(by: planner, until: self.now, now: self.now)
        #expect(isClaimed)
        var shard = RolloutPage(of: rollout)
        shard.sendAt = self.now
        let counts = RolloutProgress.Counts(startsSent: 1)
        let isAdvanced = rollout.advance(by: shard, counts, planner: planner, until: self.now, now: self.now)
        #expect(isAdvanced)
        #expect(rollout.progress.counts.startsSent == .max)
    }

    @Test("a campaign whose local start lies beyond all dates waits for it")
    func campaign() throws {
        for seconds in [Int64.max, .min] {
            let start = CampaignStart.local(LocalStart(time: LocalTime(secondsAsUTC: seconds)))
            #expect(start.planningTime(createdAt: self.now) >= self.now)
            #expect(!LocalTime(secondsAsUTC: seconds).description.isEmpty)
        }
        let job = JobCampaign(
            audience: .all,
            message: CampaignMessage(timeToLive: .max, fallback: try MessageTemplate(APNsPayload(json: "{}"))),
            ratePerSecond: .max
        )
        let campaign = job.campaign(CampaignID(now: self.now), of: "com.example.app", named: "job", now: self.now)
        let headers = try campaign.message.headers(for: "com.example.app", sentAt: self.now)
        #expect(headers.expiration?.rawValue == .max)
        let pace = FanOutLimits(ratePerSecond: campaign.rate, turn: .seconds(60))
        let wave = CampaignFanOut.Wave(due: self.now, zones: .any)
        let step = CampaignFanOut(waves: [wave], lastPlace: 9).next(
            now: self.now,
            pace: pace,
            backlog: CampaignBacklog()
        )
        if case .read(let order) = step {
            #expect(order.limit == Batch.maximumTargets)
        } else {
            Issue.record("no members are read")
        }
        let validation = TokenValidation(durationSeconds: .max, devices: .max, fixesEnvironment: true)
        let planned = try Campaign(
            id: CampaignID(now: self.now),
            app: "com.example.app",
            name: "token validation",
            audience: .all,
            tokenValidation: validation,
            start: .now,
            createdAt: self.now
        )
        #expect(JobCampaign(copying: planned).lifetimeSeconds == .max)
    }

    @Test("a job's run and its policy keep to the greatest numbers")
    func job() throws {
        let policy = JobPolicy(jitterSeconds: .max, maxRetries: .max)
        let schedule = try Schedule.cron("* * * * *")
        let definition = JobDefinition(schedule: schedule, work: .code, policy: policy)
        let job = Job(id: "job", app: "com.example.app", definition: definition, now: self.now)
        #expect(job.beginning(of: self.now) >= self.now)
        #expect(DueOccurrences(job, open: .max, now: self.now.addingTimeInterval(600)).entries.isEmpty)
        var run = JobRun(
            id: JobRunID(of: job, dueAt: self.now),
            number: 1,
            trigger: .manual,
            dueAt: self.now,
            occurrences: .max,
            state: .waiting,
            attempt: .max,
            setbacks: .min,
            startedAt: nil,
            endedAt: nil,
            processedCount: .max,
            place: 0,
            skip: nil,
            message: nil,
            responseStatus: nil,
            campaign: nil,
            worker: nil,
            claimableAt: self.now
        )
        let claim = run.claim(by: "worker", until: self.now, policy: policy, now: self.now)
        #expect(claim == .granted)
        run.release(now: self.now)
        #expect(run.setbacks == 0)
        run.advance(to: 1, processed: 1, note: nil, until: self.now)
        #expect(run.processedCount == .max)
        run.absorb(1, until: self.now, now: self.now)
        #expect(run.occurrences == .max)
    }

    @Test("outcomes are counted up to the greatest number")
    func outcomes() throws {
        var counts = OutcomeCounts(delivered: .max, rejected: [.unregistered: .max], failed: [.expired: .max])
        counts.add(.delivered)
        counts.add(.failed(.expired))
        counts += counts
        #expect(counts.total == .max)
        #expect(counts.worked == 0)
        let notification = PushModel.Notification(
            id: NotificationID(now: self.now),
            app: "com.example.app",
            createdAt: self.now,
            targetCount: .min,
            batchCount: 1
        )
        let lifecycle = BatchLifecycle(targetCount: 1)
        let status = BatchStatus(id: BatchID(now: self.now), ordinal: 0, lifecycle: lifecycle, counts: counts)
        #expect(NotificationStatus(notification: notification, batches: [status, status]).remaining == .min)
    }

    @Test("an outcome of a target that the batch does not have is passed over")
    func positions() throws {
        let batch = try self.batch(targets: 2)
        #expect(BatchID.locate(batch.id.apnsID(at: 1 << 40)).batch == batch.id)
        #expect(BatchID.locate(batch.id.apnsID(at: -1)).batch == batch.id)
        let notification = PushModel.Notification(
            id: batch.notification,
            app: batch.app,
            createdAt: self.now,
            targetCount: 2,
            batchCount: 1
        )
        let plan = try BatchedNotification(resending: notification, [(batch, [1, 2, 9999])], now: self.now)
        #expect(plan.batches.map(\.targets.count) == [1])
        #expect(throws: InvalidValueError.self) {
            try BatchedNotification(resending: notification, [(batch, [-1])], now: self.now)
        }
    }

    @Test("an expiration at the greatest second stays there when a pause is added to it")
    func expiration() throws {
        var headers = NotificationHeaders(topic: try Topic("com.example.app"))
        headers.expiration = APNsExpiration(rawValue: .max)
        let batch = try self.batch()
        let claimed = ClaimedBatch(
            batch: Batch(
                id: batch.id,
                notification: batch.notification,
                app: batch.app,
                lane: batch.lane,
                headers: headers,
                payload: batch.payload,
                targets: batch.targets,
                createdAt: self.now
            ),
            cursor: 0,
            held: .seconds(1),
            worker: "worker",
            leasedUntil: self.now
        )
        #expect(claimed.headers.expiration?.rawValue == .max)
    }
}
