// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: endpoint failures", .timeLimit(.minutes(20)))
struct EndpointFailureTests {
    @Test(
        "what was published to one endpoint alone tells its application how it failed",
        arguments: TestStoreBackend.allCases
    )
    func publishedAlone(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let target = try await store.addWatchedEndpoint()
            var expected: [EndpointFailure] = []
            let rejections: [(RejectionReason, EndpointFailure.Kind)] = [
                (.payloadTooLarge, .refused), (.deviceTokenNotForTopic, .token), (.badDeviceToken, .token),
            ]
            for (reason, kind) in rejections {
                let id = try await store.publish(to: target)
                try await store.settleOne(as: StoreFixtures.rejection(reason))
                expected.append(EndpointFailure(notification: id, kind: kind, reason: reason.rawValue))
            }
            let keyless = try await store.publish(to: target)
            try await store.settleOne(as: .failed(.noCredential))
            expected.append(EndpointFailure(notification: keyless, kind: .refused, reason: "no_credential"))
            let late = try await store.publish(to: target, expiresAt: StoreFixtures.after(1))
            let claimedCount = try await store.claim(now: StoreFixtures.after(2)).count
            #expect(claimedCount == 0, "what is late and sent")
            expected.append(EndpointFailure(notification: late, kind: .expired, reason: "expired"))

            let events = try await store.claimFailures()
            #expect(Set(events.compactMap(\.failure)) == Set(expected), "what is told")
            #expect(events.count == expected.count, "how often")
            #expect(Set(events.map(\.application.text)) == ["watched"], "whom")
            #expect(Set(events.map(\.installation)) == ["a"], "of which endpoint")
            #expect(Set(events.map(\.kind)) == [.failed], "what happened")
        }
    }

    @Test(
        "what an endpoint has taken, what was called off, and what went to others as well tells nothing",
        arguments: TestStoreBackend.allCases
    )
    func nothingToTell(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let target = try await store.addWatchedEndpoint()
            _ = try await store.publish(to: target)
            try await store.settleOne(as: .delivered)
            let cancelled = try await store.publish(to: target)
            try await store.cancel(cancelled, now: StoreFixtures.now)
            try await store.accept(try StoreFixtures.plan())
            try await store.settleOne(as: StoreFixtures.rejection(.payloadTooLarge))
            let failures = try await store.claimFailures()
            #expect(failures == [], "what is told")
        }
    }

    @Test(
        "an invalid token is told once to each application: with the notification to the one that published it",
        arguments: TestStoreBackend.allCases
    )
    func invalidToken(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let target = try await store.addWatchedEndpoint()
            let other = try await store.putApplication(
                PlatformFixtures.application(
                    "other",
                    platform: "MACOS",
                    credential: "other",
                    attributes: ["EventDeliveryFailure": "arn:aws:sns:eu-west-1:000000000000:events"]
                ),
                credential: PlatformFixtures.credential("other")
            )
            // The same token in an endpoint of its own.
            let draft = try PlatformFixtures.endpoint("b", token: 1, container: other.container)
            _ = try await store.addEndpoint(draft, now: StoreFixtures.now)
            let id = try await store.publish(to: target)
            let time = StoreFixtures.milliseconds(after: 1)
            try await store.settleOne(as: StoreFixtures.rejection(.unregistered, inactiveSince: time))
            let events = try await store.claimFailures().sorted { $0.application < $1.application }
            #expect(events.map(\.application.text) == ["watched", "other"], "whom")
            let failure = EndpointFailure(notification: id, kind: .token, reason: "Unregistered")
            #expect(events.map(\.installation) == ["a", "b"], "of which endpoints")
            #expect(events.map(\.failure) == [failure, nil], "what is told")
        }
    }
}

extension AppStore where Self: BatchStore & PlatformStore & EndpointEventStore {
    /// Adds the endpoint `a` of an application that wants to know of failures.
    fileprivate func addWatchedEndpoint() async throws -> Target {
        try await self.putApplication(
            PlatformFixtures.application(
                "watched",
                attributes: ["EventDeliveryFailure": "arn:aws:sns:eu-west-1:000000000000:events"]
            ),
            credential: PlatformFixtures.credential("credential")
        )
        let draft = try PlatformFixtures.endpoint("a", token: 1)
        return try await self.addEndpoint(draft, now: StoreFixtures.now).device.target
    }

    /// Publishes to that endpoint alone.
    fileprivate func publish(to target: Target, expiresAt: Date? = nil) async throws -> NotificationID {
        let plan = try BatchedNotification(
            app: StoreFixtures.app,
            lane: .urgent,
            headers: NotificationHeaders(topic: Topic(StoreFixtures.app.rawValue)),
            payload: APNsPayload(json: #"{"aps":{"alert":"寿司"}}"#),
            targets: [target],
            expiresAt: expiresAt,
            now: StoreFixtures.now
        )
        try await self.accept(
            plan.notification,
            batches: plan.batches,
            noting: .endpoint(
                EndpointPublication(application: PlatformFixtures.name("watched"), installation: "a")
            )
        )
        return plan.notification.id
    }

    /// Claims the one batch that waits and settles its one target.
    fileprivate func settleOne(as outcome: Outcome) async throws {
        let batch = try #require(try await self.claim(now: StoreFixtures.after(2)).first, "the batch")
        let failures = outcome == .delivered ? [] : [Settlement.Failure(index: 0, outcome: outcome)]
        let settlement = Settlement(of: batch, range: 0..<1, failures: failures)
        try await self.settle(settlement, now: StoreFixtures.after(2))
    }

    fileprivate func claimFailures() async throws -> [StoredEndpointEvent] {
        try await self.claimEndpointEvents(
            limit: 100,
            worker: StoreFixtures.worker,
            leaseDuration: .seconds(10),
            now: StoreFixtures.after(10)
        ).events
    }
}
