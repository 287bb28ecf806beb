// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import SNSProtocol
import Testing
import Topics

@Suite("Events of SNS endpoints", .timeLimit(.minutes(5)))
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
        URLSubscription(topic: arn, server: "http://localhost/").write(to: &subscription)
        _ = try await api.store.subscribe(subscription, policyLimit: 1)
    }

    /// The events that are to be posted, once there are so many.
    private static func posted(_ count: Int, _ api: TestAPI) async throws -> [JSONValue] {
        var events: [JSONValue] = []
        while events.count < count {
            let deliveries = try await api.store.claimDeliveries(
                limit: 10,
                each: 10,
                worker: "worker",
                leaseDuration: .seconds(60),
                now: TestTime.start.addingTimeInterval(1)
            )
            for delivery in deliveries {
                guard case .notification(let message)? = URLMessage(content: delivery.message.content) else { continue }
                events.append(try JSONValue(json: Array(message.text.utf8)))
                try await api.store.settleDelivery(delivery.id, worker: "worker", as: .done)
            }
        }
        return events
    }

    @Test("are published to the topics that their application names", arguments: StoreInTest.chosen)
    func events(store: StoreInTest) async throws {
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

    @Test("need a topic that is there")
    func refusals() async throws {
        try await withAPI { api async throws in
            let (client, application) = try await SNSEndpointTests.application(api)
            let names = ["EventDeliveryFailure": client.arn("none")]
            let refused = try await client.call(
                "SetPlatformApplicationAttributes",
                SNSApplicationTests.entries(names).merging(["PlatformApplicationArn": application]) { $1 }
            )
            #expect(refused.code == "InvalidParameter")
            #expect(
                refused.message == "Invalid parameter: Attributes Reason: EventDeliveryFailure: Topic does not exist"
            )
        }
    }
}
