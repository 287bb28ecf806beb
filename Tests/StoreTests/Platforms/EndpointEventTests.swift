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

@Suite("Stores: endpoint events", .timeLimit(.minutes(20)))
struct EndpointEventTests {
    @Test(
        "what becomes of endpoints is kept for the applications that ask for it, until it is published",
        arguments: TestStoreBackend.allCases
    )
    func keepUntilPublished(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let topic = "arn:aws:sns:eu-west-1:000000000000:events"
            let asked = StoredEndpointEvent.Kind.allCases.map { ($0.rawValue, topic) }
            try await store.putApplication(
                PlatformFixtures.application("all", attributes: Dictionary(asked) { $1 }),
                credential: PlatformFixtures.credential("first")
            )
            try await store.putApplication(
                PlatformFixtures.application(
                    "removals",
                    credential: "second",
                    attributes: ["EventEndpointDeleted": topic, "Enabled": "true"]
                ),
                credential: PlatformFixtures.credential("second")
            )
            try await store.putApplication(
                PlatformFixtures.application(
                    "sandbox",
                    platform: "APNS_SANDBOX",
                    environment: .sandbox,
                    credential: "third",
                    attributes: ["EventEndpointCreated": topic]
                ),
                credential: PlatformFixtures.credential("third")
            )
            for (name, token) in [("a", 1), ("b", 2), ("a", 1)] {
                let draft = try PlatformFixtures.endpoint(DeviceID(unchecked: name), token: token)
                _ = try await store.addEndpoint(draft, now: StoreFixtures.now)
            }
            // The token of b moves to a, and b is removed.
            _ = try await store.change("a", by: EndpointUpdate(token: try StoreFixtures.token(2)))
            let application = PlatformFixtures.application("all")
            let removed = try await store.removeEndpoint("a", of: application, now: StoreFixtures.after(6))
            #expect(removed, "a was not removed")
            let again = try await store.removeEndpoint("a", of: application, now: StoreFixtures.now)
            #expect(!again, "whether it is removed again")

            // The other application has endpoints of its own.
            let other = try #require(try await store.application(PlatformFixtures.name("removals")))
            let draft = try PlatformFixtures.endpoint("c", token: 1, container: other.container)
            #expect(try await store.addEndpoint(draft, now: StoreFixtures.after(6)).isNew)
            #expect(try await store.removeEndpoint("c", of: other, now: StoreFixtures.after(7)))

            let events = try await store.claimSample(now: StoreFixtures.after(10))
            let told = events.map { "\($0.application.text) \($0.installation) \($0.kind.rawValue.dropFirst(5))" }
            #expect(
                told.sorted() == [
                    "all a EndpointCreated", "all a EndpointDeleted", "all a EndpointUpdated", "all b EndpointCreated",
                    "all b EndpointDeleted", "removals c EndpointDeleted",
                ],
                "what is told"
            )
            #expect(Set(events.map(\.topic)) == [topic], "the topic")
            try #require(
                events.map(\.time) == [0, 0, 5, 5, 6, 7].map { StoreFixtures.after($0) },
                "when it happened, in its order"
            )
            let othersGetMeanwhile = try await store.claimSample(now: StoreFixtures.after(19))
            #expect(othersGetMeanwhile == [], "what others get meanwhile")
            for event in events.dropFirst() {
                try await store.removeEndpointEvent(event.number, worker: StoreFixtures.worker)
            }
            try await store.removeEndpointEvent(events[0].number, worker: StoreFixtures.otherWorker)
            let left = try await store.claimSample(now: StoreFixtures.after(30))
            #expect(left == [events[0]], "what is claimed once more, since nobody has published it")
        }
    }

    @Test("that Apple calls the token of an endpoint invalid is told once", arguments: TestStoreBackend.allCases)
    func invalidTokenOnce(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let topic = "arn:aws:sns:eu-west-1:000000000000:events"
            try await store.putApplication(
                PlatformFixtures.application("all", attributes: ["EventDeliveryFailure": topic]),
                credential: PlatformFixtures.credential("credential")
            )
            let draft = try PlatformFixtures.endpoint("a", token: 1)
            let device = try await store.addEndpoint(draft, now: StoreFixtures.now).device
            for second in [1.0, 2] {
                let plan = try BatchedNotification(
                    app: StoreFixtures.app,
                    lane: .urgent,
                    headers: NotificationHeaders(topic: Topic(StoreFixtures.app.rawValue)),
                    payload: APNsPayload(json: #"{"aps":{"alert":"寿司"}}"#),
                    targets: [device.target],
                    expiresAt: nil,
                    now: StoreFixtures.after(second)
                )
                try await store.accept(plan)
                let batch = try #require(try await store.claim(now: StoreFixtures.after(second)).first, "the batch")
                let outcome = StoreFixtures.rejection(
                    .unregistered,
                    inactiveSince: StoreFixtures.milliseconds(after: second)
                )
                let failure = Settlement.Failure(index: 0, outcome: outcome)
                let settlement = Settlement(of: batch, range: 0..<1, failures: [failure])
                try await store.settle(settlement, now: StoreFixtures.after(second))
            }
            let events = try await store.claimSample(now: StoreFixtures.after(10))
            #expect(events.map(\.kind) == [.failed], "what is told")
            #expect(events.map(\.installation) == ["a"], "of whom")
        }
    }
}

extension EndpointEventStore {
    /// Claims with a lease of 10 seconds.
    fileprivate func claimSample(now: Date) async throws -> [StoredEndpointEvent] {
        try await self.claimEndpointEvents(
            limit: 100,
            worker: StoreFixtures.worker,
            leaseDuration: .seconds(10),
            now: now
        ).events
    }
}
