// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import SNSProtocol
import SQLStore
import StoreTesting
import Synchronization
import Telemetry
import Testing
import Topics

@Suite("Events of SNS endpoints", .timeLimit(.minutes(20)))
struct SNSEndpointEventTests {
    /// Subscribes a URL that has confirmed it to a topic.
    private static func listen(to topic: String, _ api: TestAPI) async throws {
        let arn = try TopicARN(topic, region: nil)
        var subscription = Subscription(
            id: SubscriptionID(now: TestTime.start),
            topic: try #require(TopicName(rawValue: arn.name)),
            subscriber: .url("https://hooks.example.com/"),
            createdAt: TestTime.start
        )
        HTTPSubscription(topic: arn, server: "http://localhost/").write(to: &subscription)
        _ = try await api.store.subscribe(subscription, policyLimit: 1)
    }

    /// The events that are to be posted, once there are so many.
    private static func posted(_ count: Int, _ api: TestAPI) async throws -> [JSONValue] {
        var events: [JSONValue] = []
        let changes = api.store.changes()
        while true {
            let deliveries = try await api.store.claimDeliveries(
                limit: 10,
                each: 10,
                worker: "worker",
                leaseDuration: .seconds(60),
                now: TestTime.start.addingTimeInterval(1)
            )
            for delivery in deliveries {
                guard case .notification(let message)? = HTTPSubscriptionMessage(content: delivery.message.content)
                else { continue }
                events.append(try JSONValue(json: Array(message.text.utf8)))
                try await api.store.settleDelivery(delivery.id, worker: "worker", as: .done)
            }
            if events.count >= count { return events }
            try await changes.nextElement { $0 == .topicDeliveriesReady || $0 == .missed }
        }
    }

    /// The counter for this result, once it exists.
    private static func counted(_ result: String, _ registry: MetricsRegistry) async throws -> Double? {
        var counted: Double?
        try await waitUntil {
            counted = try PrometheusText(registry.text()).value("apus_sns_endpoint_events_total", ["result": result])
            return counted != nil
        }
        return counted
    }

    @Test("are published to the topics that their application names", arguments: TestStoreBackend.chosen)
    func events(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let (client, application) = try await SNSEndpointTests.application(api)
            let topic = try #require(try await client.call("CreateTopic", ["Name": "events"])["TopicArn"])
            try await Self.listen(to: topic, api)
            var names: [String: String] = [:]
            for kind in ["Created", "Updated", "Deleted"] { names["EventEndpoint\(kind)"] = topic }
            let asked = try await client.call(
                "SetPlatformApplicationAttributes",
                SNSApplicationTests.entries(names).merging(["PlatformApplicationArn": application]) { $1 }
            )
            #expect(asked.status == 200, "\(asked.text)")
            let created = try await SNSEndpointTests.create(client, application)
            let endpoint = try #require(created["EndpointArn"])
            // There is one already: nothing has happened.
            _ = try await SNSEndpointTests.create(client, application)
            let change = SNSApplicationTests.entries(["CustomUserData": "x"]).merging(["EndpointArn": endpoint]) { $1 }
            #expect(try await client.call("SetEndpointAttributes", change).status == 200)
            #expect(try await client.call("DeleteEndpoint", ["EndpointArn": endpoint]).status == 200)
            let events = try await Self.posted(3, api)
            let kinds = Set(events.map { $0["EventType"] })
            #expect(kinds == ["EndpointCreated", "EndpointUpdated", "EndpointDeleted"])
            #expect(events.allSatisfy { $0["EndpointArn"] == .string(endpoint) })
            #expect(events.allSatisfy { $0["Resource"] == .string(application) })
        }
    }

    @Test("tell of a message to an endpoint that failed for good, and are counted", arguments: TestStoreBackend.chosen)
    func failedMessage(store: TestStoreBackend) async throws {
        let registry = MetricsRegistry()
        var setup = TestSetup(store: store)
        setup.metrics = registry
        try await withAPI(setup) { api async throws in
            let (client, application) = try await SNSEndpointTests.application(api)
            let topic = try #require(try await client.call("CreateTopic", ["Name": "events"])["TopicArn"])
            try await Self.listen(to: topic, api)
            let asked = try await client.call(
                "SetPlatformApplicationAttributes",
                SNSApplicationTests.entries(["EventDeliveryFailure": topic])
                    .merging(["PlatformApplicationArn": application]) { $1 }
            )
            #expect(asked.status == 200, "\(asked.text)")
            let endpoint = try #require(try await SNSEndpointTests.create(client, application)["EndpointArn"])
            let published = try await client.call("Publish", ["TargetArn": endpoint, "Message": "Hello"])
            let batch = try #require(
                try await api.store.claim(
                    lane: .urgent,
                    limit: 1,
                    worker: "worker",
                    leaseDuration: .seconds(60),
                    now: TestTime.start
                ).first
            )
            let refusal = Settlement.Failure(index: 0, outcome: .rejected(Rejection(.payloadTooLarge)))
            try await api.store.settle(
                Settlement(of: batch, range: 0..<1, failures: [refusal]),
                now: TestTime.start
            )
            let event = try #require(try await Self.posted(1, api).first)
            #expect(event["EventType"] == "DeliveryFailure")
            #expect(event["FailureType"] == "DeliveryFailedPerm")
            let id = try #require(published["MessageId"])
            #expect(event["MessageId"] == .string(id))
            #expect(event["EndpointArn"] == .string(endpoint))
            #expect(event["FailureMessage"] == "The notification was refused or could not be sent: PayloadTooLarge")
            #expect(try await Self.counted("published", registry) == 1)
        }
    }

    @Test("for which there was no room, and corrupt ones, are counted and logged")
    func dropped() async throws {
        let registry = MetricsRegistry()
        var setup = TestSetup()
        setup.metrics = registry
        setup.wrap = { LossyStore(base: $0) }
        try await withAPI(setup) { api async throws in
            let results = ["queue_full": 3.0, "corrupt": 1]
            for (result, count) in results {
                #expect(try await Self.counted(result, registry) == count, "\(result)")
            }
            #expect(
                api.logs.entries.contains {
                    $0.message == "Dropped endpoint events: the queue is full" && $0.level == .warning
                }
            )
            #expect(api.logs.entries.contains { $0.message == "Quarantined a corrupt endpoint event" })
        }
    }

    @Test("that cannot be published hold up no others, and are dropped when they are a day old")
    func failures() async throws {
        let faults = Faults()
        var setup = TestSetup()
        setup.wrap = { FaultyStore(base: $0, faults: faults) }
        let time = setup.time
        try await withAPI(setup) { api async throws in
            let (client, application) = try await SNSEndpointTests.application(api)
            let topic = try #require(try await client.call("CreateTopic", ["Name": "events"])["TopicArn"])
            let broken = try #require(try await client.call("CreateTopic", ["Name": "broken"])["TopicArn"])
            try await Self.listen(to: topic, api)
            let names = ["EventEndpointCreated": broken, "EventEndpointDeleted": topic]
            let asked = try await client.call(
                "SetPlatformApplicationAttributes",
                SNSApplicationTests.entries(names).merging(["PlatformApplicationArn": application]) { $1 }
            )
            #expect(asked.status == 200, "\(asked.text)")
            let endpoint = try #require(try await SNSEndpointTests.create(client, application)["EndpointArn"])
            #expect(try await client.call("DeleteEndpoint", ["EndpointArn": endpoint]).status == 200)
            faults.begin()
            #expect(try await Self.posted(1, api).map { $0["EventType"] } == ["EndpointDeleted"])
            try await faults.removals.nextElement()
            time.advance(by: 25 * 3600)
            try await faults.removals.nextElement()
            #expect(api.logs.entries.contains { $0.message == "Dropped an endpoint event" })
        }
    }

    @Test("need a topic that is there", arguments: ["EventDeliveryFailure", "EventDeliveryAttemptFailure"])
    func refusals(name: String) async throws {
        try await withAPI { api async throws in
            let (client, application) = try await SNSEndpointTests.application(api)
            let refused = try await client.call(
                "SetPlatformApplicationAttributes",
                SNSApplicationTests.entries([name: client.arn("none")])
                    .merging(["PlatformApplicationArn": application]) { $1 }
            )
            #expect(refused.code == "InvalidParameter")
            #expect(refused.message == "Invalid parameter: Attributes Reason: \(name): Topic does not exist")
        }
    }
}

/// Tells of lost events by its first claim.
private struct LossyStore: StoreDecorator {
    let base: any PushStore & SQLBacked
    private let isFirst = Once()

    init(base: any PushStore & SQLBacked) { self.base = base }

    func claimEndpointEvents(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> EndpointEventClaim {
        var claim = EndpointEventClaim()
        guard self.isFirst.take() else { return claim }
        claim.dropped = 3
        claim.damaged = [17]
        return claim
    }
}

private final class Once: Sendable {
    private let isTaken = Mutex(false)

    func take() -> Bool {
        self.isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }
}

/// Whether a store fails, and when events are removed from it.
private final class Faults: Sendable {
    private let state = Atomic(false)
    private let removal: AsyncStream<Void>.Continuation

    /// Has an element for each event that was removed.
    let removals: AsyncStream<Void>

    init() { (self.removals, self.removal) = AsyncStream.makeStream() }

    var areOn: Bool { self.state.load(ordering: .acquiring) }

    func begin() { self.state.store(true, ordering: .releasing) }

    func noteRemoval() { self.removal.yield() }
}

/// Gives no events away until faults begin; then one of its topics cannot be read.
private struct FaultyStore: StoreDecorator {
    let base: any PushStore & SQLBacked
    let faults: Faults

    func topic(_ name: TopicName, of app: AppID?) async throws -> PushTopic? {
        if self.faults.areOn, name == "broken" { throw StoreError.damaged("topic") }
        return try await self.base.topic(name, of: app)
    }

    func claimEndpointEvents(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> EndpointEventClaim {
        guard self.faults.areOn else { return EndpointEventClaim() }
        return try await self.base.claimEndpointEvents(
            limit: limit,
            worker: worker,
            leaseDuration: leaseDuration,
            now: now
        )
    }

    func removeEndpointEvent(_ number: Int64, worker: WorkerID) async throws {
        try await self.base.removeEndpointEvent(number, worker: worker)
        self.faults.noteRemoval()
    }
}
