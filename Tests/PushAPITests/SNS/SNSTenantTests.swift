// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import SNSProtocol
import StoreTesting
import Telemetry
import Testing

@Suite("Tenants of the SNS endpoint", .timeLimit(.minutes(20)))
struct SNSTenantTests {
    private static let other: AppID = "com.example.other"

    /// Adds the other app, and returns a client of each whose key is bound to it.
    private static func clients(_ api: TestAPI) async throws -> (own: SNSClient, other: SNSClient) {
        try await api.store.createApp(App(id: Self.other, createdAt: TestTime.start))
        return (try await SNSClient(api, app: TestAPI.app), try await SNSClient(api, app: Self.other))
    }

    private static func subscribers(_ api: TestAPI) async throws -> [Batch] {
        try await api.store.claim(
            lane: .urgent,
            limit: 10,
            worker: "worker",
            leaseDuration: .seconds(60),
            now: TestTime.start
        ).map(\.batch)
    }

    @Test(
        "a name of a topic belongs to the app that created it: a key of another app neither changes nor reads it",
        arguments: TestStoreBackend.chosen
    )
    func names(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let (own, other) = try await Self.clients(api)
            let path = "/v1/apps/\(TestAPI.app)/topics/news"
            let body = #"{"displayName":"Own","tags":{"team":"a"}}"#
            #expect(try await api.call(.put, path, body, key: own.bearer).status == 201)
            let foreign = "/v1/apps/\(Self.other)/topics/news"
            for body in [nil, body, #"{"displayName":"Other"}"#] {
                let refused = try await api.call(.put, foreign, body, key: other.bearer)
                #expect(refused.code == "topic_shared_with_other_apps")
                #expect(!refused.text.contains("Own"))
            }
            let created = try await other.call("CreateTopic", ["Name": "news"])
            #expect(created.code == "AuthorizationError")
            #expect(!created.text.contains("Own"))
            // Nothing was committed: the other app does not have the topic.
            #expect(try await api.store.topic("news", of: Self.other) == nil)
            #expect(try await api.call(.get, foreign, key: other.bearer).code == "topic_not_found")
            #expect(try await other.call("GetTopicAttributes", ["TopicArn": other.arn("news")]).code == "NotFound")
            let publish = ["TopicArn": other.arn("news"), "Message": "x"]
            #expect(try await other.call("Publish", publish).code == "NotFound")
            let shown = try await api.call(.get, path, key: own.bearer)
            #expect(shown.json["displayName"] == "Own")
            #expect(shown.json["tags"] == ["team": "a"])
            // An operator may share it, and then both have it.
            #expect(try await api.call(.put, foreign, body).status == 201)
            #expect(try await other.call("CreateTopic", ["Name": "news"]).status == 200)
        }
    }

    @Test("a key of one app claims a topic that no app has")
    func unclaimed() async throws {
        try await withAPI { api async throws in
            let (own, other) = try await Self.clients(api)
            let operatorClient = try await SNSClient(api)
            #expect(try await operatorClient.call("CreateTopic", ["Name": "news"]).status == 200)
            #expect(try await own.call("CreateTopic", ["Name": "news"]).status == 200)
            #expect(try await other.call("CreateTopic", ["Name": "news"]).code == "AuthorizationError")
        }
    }

    @Test("events of endpoints go only to a topic of the application's own app")
    func attributes() async throws {
        try await withAPI { api async throws in
            let (own, other) = try await Self.clients(api)
            let topic = try #require(try await own.call("CreateTopic", ["Name": "events"])["TopicArn"])
            let event = SNSApplicationTests.entries(["EventEndpointCreated": topic])
            let foreign = SNSApplicationTests.token(Self.other.rawValue)
            let created = try await SNSApplicationTests.create(other, "shop", foreign)
            let application = ["PlatformApplicationArn": try #require(created["PlatformApplicationArn"])]
            // A key without an app sees the topic, but the application is that of another app.
            for client in [other, try await SNSClient(api)] {
                let set = try await client.call(
                    "SetPlatformApplicationAttributes",
                    event.merging(application) { $1 }
                )
                #expect(set.code == "InvalidParameter", "\(set.text)")
            }
            let mine = try await SNSApplicationTests.create(own, "mine")
            let arn = ["PlatformApplicationArn": try #require(mine["PlatformApplicationArn"])]
            let set = try await own.call("SetPlatformApplicationAttributes", event.merging(arn) { $1 })
            #expect(set.status == 200, "\(set.text)")
        }
    }

    @Test("an event is not published to a topic that another app has got since, and not to its subscribers")
    func publishing() async throws {
        let registry = MetricsRegistry()
        var setup = TestSetup()
        setup.metrics = registry
        try await withAPI(setup) { api async throws in
            let (own, other) = try await Self.clients(api)
            let operatorClient = try await SNSClient(api)
            let created = try await SNSApplicationTests.create(own, "mine")
            let application = try #require(created["PlatformApplicationArn"])
            // Nobody has the topic when the application names it.
            let topic = try #require(try await operatorClient.call("CreateTopic", ["Name": "events"])["TopicArn"])
            let named = try await operatorClient.call(
                "SetPlatformApplicationAttributes",
                SNSApplicationTests.entries(["EventEndpointCreated": topic])
                    .merging(["PlatformApplicationArn": application]) { $1 }
            )
            #expect(named.status == 200, "\(named.text)")
            #expect(try await other.call("CreateTopic", ["Name": "events"]).status == 200)
            let spy = try await SNSApplicationTests.create(
                other,
                "shop",
                SNSApplicationTests.token(Self.other.rawValue)
            )
            let device = try await SNSEndpointTests.create(other, try #require(spy["PlatformApplicationArn"]))
            let subscribed = try await other.call(
                "Subscribe",
                ["TopicArn": topic, "Protocol": "application", "Endpoint": try #require(device["EndpointArn"])]
            )
            #expect(subscribed.status == 200, "\(subscribed.text)")
            #expect(try await SNSEndpointTests.create(own, application).status == 200)
            try await waitUntil {
                let text = try PrometheusText(registry.text())
                return text.value("apus_sns_endpoint_events_total", ["result": "topic_not_found"]) == 1
            }
            #expect(try await Self.subscribers(api).isEmpty)
        }
    }
}
