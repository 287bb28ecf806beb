// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting

extension WorkKind {
    static let leased = Self.allCases.filter { $0 != .activity }

    /// The kinds whose interruptions are counted when a lease ends, and not by the next claim.
    static let countedByLeases = Self.leased.filter { $0 != .batch }

    /// Adds items that are due after 60 seconds at the latest.
    func add(_ count: Int = 2, to store: any PushStore) async throws {
        if try await store.app(StoreFixtures.app) == nil { try await store.addSampleApp() }
        for number in 1...count { try await self.addOne(number, to: store) }
    }

    private func addOne(_ number: Int, to store: any PushStore) async throws {
        switch self {
        case .batch: try await store.accept(StoreFixtures.plan())
        case .campaign: try await store.createCampaign(CampaignFixtures.campaign())
        case .rollout:
            _ = try await store.createActivity(
                ActivityFixtures.activity(ActivityID(unchecked: "lesson \(number)")),
                startingOn: [],
                rollingOut: RolloutFixtures.rollout(),
                now: StoreFixtures.now
            )
        case .jobRun:
            // By hand, because the schedule would start more runs.
            let job = JobID(unchecked: "job-\(number)")
            _ = try await store.put(JobSamples.greeting(), job, isPaused: true)
            _ = try await store.runJob(job, of: StoreFixtures.app, now: StoreFixtures.now)
        case .webhook:
            try await store.createWebhook(StoreFixtures.webhook(WebhookID(unchecked: "wh_\(number)")))
            try await store.append([StoreFixtures.event(number)])
        case .topicDelivery:
            try await store.makeTopic()
            let subscription = TopicFixtures.subscription(.url("http://example.com/\(number)"))
            try await store.subscribe(subscription)
            try await store.enqueue(
                PublicationFixtures.message(UInt64(number)),
                about: subscription.id,
                to: "http://example.com/\(number)",
                now: StoreFixtures.now
            )
        case .endpointEvent:
            if number == 1 {
                let topic = ["EventEndpointCreated": "arn:aws:sns:eu-west-1:0:events"]
                try await store.putApplication(
                    PlatformFixtures.application("events", attributes: topic),
                    credential: PlatformFixtures.credential("credential")
                )
            }
            let endpoint = try PlatformFixtures.endpoint(DeviceID(unchecked: "\(number)"), token: number)
            _ = try await store.addEndpoint(endpoint, now: StoreFixtures.now)
        case .activity:
            let id = ActivityID(unchecked: "lesson \(number)")
            try await store.addLesson(id, phones: [number])
            let transition = NewTransition(
                key: "ending",
                time: .at(StoreFixtures.after(30)),
                change: try ActivityFixtures.patch(#"{"status":"ending"}"#)
            )
            _ = try await store.plan([transition], for: id, of: StoreFixtures.app, now: StoreFixtures.now)
        }
    }

    /// Claims all items that can be claimed; returns their IDs, as the quarantine lists them.
    func claim(
        on store: any PushStore,
        by worker: WorkerID = StoreFixtures.worker,
        after seconds: Double
    ) async throws -> [String] {
        let now = StoreFixtures.after(seconds)
        let lease = Duration.seconds(60)
        switch self {
        case .batch: return try await store.claim(by: worker, now: now).map { "\($0.batch.id)" }
        case .campaign: return try await store.claimCampaigns(by: worker, now: now).map { "\($0.campaign.id)" }
        case .rollout:
            return try await store.claimRollouts(planner: worker, limit: 10, leaseDuration: lease, now: now)
                .map { "\($0.rollout.id)" }
        case .jobRun: return try await store.claimRuns(after: seconds, by: worker).map { "\($0.run.id)" }
        case .webhook: return try await store.claimWebhooks(by: worker, now: now).map { "\($0.id)" }
        case .topicDelivery:
            return try await store.claimDeliveries(limit: 10, each: 10, worker: worker, leaseDuration: lease, now: now)
                .map { "\($0.id)" }
        case .endpointEvent:
            return try await store.claimEndpointEvents(limit: 10, worker: worker, leaseDuration: lease, now: now)
                .events.map { "\($0.number)" }
        case .activity:
            let due = try await store.dueActivities(limit: 10, now: now)
            try await store.note(due.map(\.number))
            return due.map { "\($0.id)" }
        }
    }
}
