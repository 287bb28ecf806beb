// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Cron
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing
import Webhooks

@Suite("Calls of webhooks by jobs", .timeLimit(.minutes(20)))
struct WebhookCallerTests {
    private func claimed(
        _ webhook: WebhookID = "wh_1",
        policy: JobPolicy = JobPolicy(),
        on stage: WebhookStage
    ) throws -> ClaimedJobRun {
        let definition = JobDefinition(
            schedule: try .cron("@hourly"),
            work: .webhook(JobWebhook(webhook: webhook, body: try RawJSONObject(json: #"{"what":"report"}"#))),
            policy: policy
        )
        let now = stage.now.date
        let job = Job(id: "report", app: WebhookStage.app, definition: definition, now: now)
        var run = JobRun(id: JobRunID(of: job, dueAt: now), trigger: .schedule, dueAt: now, claimableAt: now)
        _ = run.claim(by: "jobs-1", until: now.addingTimeInterval(15), policy: definition.policy, now: now)
        return ClaimedJobRun(job: job, run: run, worker: "jobs-1")
    }

    private func caller(_ stage: WebhookStage) -> JobWebhookCaller {
        JobWebhookCaller(store: stage.store, sender: stage.sender)
    }

    /// A caller whose store cannot find webhooks.
    private func blind(_ code: StoreError.Code, _ stage: WebhookStage) -> JobWebhookCaller {
        let faults = StoreFaults(of: "webhook(_:)", with: StoreError(code: code, message: "for a test"))
        return JobWebhookCaller(store: ProbedStore(stage.store, failing: faults), sender: stage.sender)
    }

    @Test("are signed as all that is posted to the webhook, and have the same id each time")
    func signed() async throws {
        try await WebhookStage.open { stage in
            let stage = stage
            try await HookReceiver.run { receiver in
                let (_, secret) = try await stage.addWebhook(of: receiver, kinds: [.jobTriggered])
                let claimed = try self.claimed(on: stage)
                for _ in 0..<2 {
                    let end = try await self.caller(stage).call(claimed)
                    #expect(end == JobRunResult(.succeeded, processedCount: 1, responseStatus: 204))
                    let request = try await receiver.next()
                    let id = request.text("webhook-id")
                    #expect(id == "msg_job_\(claimed.run.id)")
                    let time = try #require(Int64(request.text("webhook-timestamp")))
                    let signature = secret.signature(id: id, timestamp: time, body: request.body)
                    #expect(request.text("webhook-signature") == signature)
                    let event = try #require(request.events.first)
                    #expect(event["type"] == "job.triggered")
                    #expect(event["data"]?["job"] == "report")
                    #expect(event["data"]?["run"] == .string(claimed.run.id.description))
                    #expect(event["data"]?["body"] == ["what": "report"])
                }
            }
        }
    }

    @Test("have failed with any status but 2xx, and are not repeated when the receiver is gone")
    func failed() async throws {
        try await WebhookStage.open { stage in
            let stage = stage
            try await HookReceiver.run { receiver in
                try await stage.addWebhook(of: receiver)
                receiver.react(.answer(503, body: "later"), .answer(410))
                let later = try await self.caller(stage).call(self.claimed(on: stage))
                #expect(later.outcome == .failed)
                #expect(later.responseStatus == 503)
                #expect(later.message == "The receiver responded with status 503. later")
                #expect(later.isRepeatable)
                let gone = try await self.caller(stage).call(self.claimed(on: stage))
                #expect(gone.responseStatus == 410)
                #expect(!gone.isRepeatable)
            }
        }
    }

    @Test("are made also where the stored deadline is longer than any clock can wait")
    func damagedDeadline() async throws {
        try await WebhookStage.open { stage in
            let stage = stage
            try await HookReceiver.run { receiver in
                try await stage.addWebhook(of: receiver)
                let claimed = try self.claimed(policy: JobPolicy(timeoutSeconds: .max), on: stage)
                let end = try await self.caller(stage).call(claimed)
                #expect(end == JobRunResult(.succeeded, processedCount: 1, responseStatus: 204))
            }
        }
    }

    @Test("are not made to a webhook that is unknown or paused")
    func notMade() async throws {
        try await WebhookStage.open { stage in
            let unknown = try await self.caller(stage).call(self.claimed("wh_2", on: stage))
            #expect(unknown.message == "The app has no webhook 'wh_2'; it may have been deleted.")
            try await stage.addWebhook(url: "http://hooks.example.com/a")
            _ = try await stage.store.changeWebhook("wh_1", [.pause], now: stage.now.date)
            let paused = try await self.caller(stage).call(self.claimed(on: stage))
            #expect(paused.outcome == .failed)
            #expect(!paused.isRepeatable)
            let keyless = JobWebhookCaller(store: stage.store, sender: WebhookSender(masterKey: nil))
            _ = try await stage.store.changeWebhook("wh_1", [.activate], now: stage.now.date)
            let secret = try await keyless.call(self.claimed(on: stage))
            #expect(secret.message?.contains("master key") == true)
        }
    }

    @Test("are left to another attempt while the store cannot say where the webhook is")
    func unavailable() async throws {
        try await WebhookStage.open { stage in
            try await stage.addWebhook(url: "http://hooks.example.com/a")
            let claimed = try self.claimed(on: stage)
            let blinking = self.blind(.unavailable, stage)
            let error = await #expect(throws: StoreError.self) { _ = try await blinking.call(claimed) }
            #expect(error?.isTransient == true)
            let broken = self.blind(.corrupt, stage)
            let end = try await broken.call(claimed)
            #expect(end.outcome == .failed)
            #expect(end.message?.contains("could not be looked up") == true)
        }
    }
}
