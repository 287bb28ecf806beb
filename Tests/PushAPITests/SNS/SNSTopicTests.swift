// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import Logging
import PushAPI
import PushModel
import PushStore
import SNSProtocol
import StoreTesting
import Telemetry
import Testing

@Suite("Topics of the SNS endpoint", .timeLimit(.minutes(20)))
struct SNSTopicTests {
    /// Claims everything that is to be sent.
    private static func claimed(_ api: TestAPI) async throws -> [Batch] {
        try await api.store.claim(
            lane: .urgent,
            limit: 10,
            worker: "worker",
            leaseDuration: .seconds(60),
            now: TestTime.start
        ).map(\.batch)
    }

    @Test("are those of the rest of the server, with what is subscribed to them", arguments: TestStoreBackend.chosen)
    func oneModel(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let (client, application) = try await SNSEndpointTests.application(api)
            let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
            let created = try await SNSEndpointTests.create(client, application)
            let endpoint = try #require(created["EndpointArn"])
            let subscribed = try await client.call(
                "Subscribe",
                ["TopicArn": topic, "Protocol": "application", "Endpoint": endpoint]
            )
            let arn = try #require(subscribed["SubscriptionArn"])
            let id = try #require(arn.split(separator: ":").last)
            let shown = try await api.call(.get, "/v1/apps/\(TestAPI.app)/subscriptions/\(id)")
            #expect(shown.status == 200)
            #expect(shown.json["topic"]?.text == "news")
            #expect(shown.json["device"]?.text == endpoint.split(separator: "/").last.map(String.init))

            // What is subscribed by the other door is seen here, but for users, for whom SNS has no name.
            try await api.register("phone", token: 9)
            let path = "/v1/apps/\(TestAPI.app)/topics/news/subscriptions"
            #expect(try await api.call(.post, path, #"{"device":"phone"}"#).status == 201)
            #expect(try await api.call(.post, path, #"{"user":"7"}"#).status == 201)
            let listed = try await client.call("ListSubscriptionsByTopic", ["TopicArn": topic])
            #expect(Set(listed.texts("Endpoint")) == [endpoint, client.arn("endpoint/APNS_SANDBOX/shop/phone")])

            #expect(try await client.call("Publish", ["TopicArn": topic, "Message": "Hello"]).status == 200)
            let batches = try await Self.claimed(api)
            #expect(batches.count == 1)
            #expect(batches.first?.targets.count == 2)
            let removed = try await api.call(.delete, "/v1/apps/\(TestAPI.app)/subscriptions/\(id)")
            #expect(removed.status == 204)
            let gone = try await client.call("GetSubscriptionAttributes", ["SubscriptionArn": arn])
            #expect(gone.code == "NotFound")
            #expect(gone.message == "Subscription does not exist")
        }
    }

    @Test("keep permissions as statements of their policy, by their labels")
    func permissions() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let name = SNSApplicationTests.entries(["DisplayName": "News"]).merging(["Name": "news"]) { $1 }
            let topic = try #require(try await client.call("CreateTopic", name)["TopicArn"])
            let fields = [
                "TopicArn": topic, "Label": "partner", "AWSAccountId.member.1": "123456789012",
                "ActionName.member.1": "Publish",
            ]
            #expect(try await client.call("AddPermission", fields).status == 200)
            let repeated = try await client.call("AddPermission", fields)
            #expect(repeated.message == "Invalid parameter: Statement already exists")
            let many = fields.merging([
                "Label": "many", "AWSAccountId.member.2": "210987654321", "ActionName.member.2": "Subscribe",
            ]) { $1 }
            #expect(try await client.call("AddPermission", many).status == 200)
            let unknown = fields.merging(["Label": "x", "ActionName.member.1": "Fly"]) { $1 }
            #expect(
                try await client.call("AddPermission", unknown).message
                    == "Invalid parameter: Policy statement action out of service scope!"
            )
            func statements() async throws -> [JSONValue] {
                let shown = try await client.call("GetTopicAttributes", ["TopicArn": topic])
                let text = try #require(shown.attributes["Policy"])
                guard case .array(let statements)? = try JSONValue(json: Array(text.utf8))["Statement"] else {
                    return []
                }
                return statements
            }
            let kept = try await statements()
            try #require(kept.map { $0["Sid"] } == ["__default_statement_ID", "partner", "many"])
            #expect(kept[1]["Principal"] == ["AWS": "arn:aws:iam::123456789012:root"])
            #expect(kept[1]["Action"] == "SNS:Publish")
            #expect(kept[1]["Resource"] == .string(topic))
            #expect(kept[2]["Action"] == ["SNS:Publish", "SNS:Subscribe"])
            for _ in 0..<2 {
                let removal = ["TopicArn": topic, "Label": "partner"]
                #expect(try await client.call("RemovePermission", removal).status == 200)
                #expect(try await statements().map { $0["Sid"] } == ["__default_statement_ID", "many"])
            }
            let missing = fields.merging(["TopicArn": client.arn("none")]) { $1 }
            #expect(try await client.call("AddPermission", missing).code == "NotFound")
        }
    }

    @Test("send each environment what its own platform is meant to get")
    func platforms() async throws {
        try await withAPI { api async throws in
            let (client, sandbox) = try await SNSEndpointTests.application(api)
            let production = try #require(
                try await SNSApplicationTests.create(client, "live")["PlatformApplicationArn"]
            )
            let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
            for (number, application) in [sandbox, production].enumerated() {
                let created = try await SNSEndpointTests.create(client, application, token: UInt8(number + 1))
                let endpoint = try #require(created["EndpointArn"])
                let subscribed = try await client.call(
                    "Subscribe",
                    ["TopicArn": topic, "Protocol": "application", "Endpoint": endpoint]
                )
                #expect(subscribed.status == 200)
            }
            let text = #"{"default":"d","APNS":"{\"aps\":{\"alert\":\"p\"}}"}"#
            let published = try await client.call(
                "Publish",
                ["TopicArn": topic, "Message": text, "MessageStructure": "json"]
            )
            #expect(published.status == 200)
            let batches = try await Self.claimed(api)
            let payloads = Dictionary(batches.map { ($0.targets[0].environment, $0.payload) }) { first, _ in first }
            #expect(
                payloads == [
                    .sandbox: .shared(try APNsPayload(json: #"{"aps":{"alert":"d"}}"#)),
                    .production: .shared(try APNsPayload(json: #"{"aps":{"alert":"p"}}"#)),
                ]
            )

            // An application that takes no messages leaves its devices out.
            let disabled = SNSApplicationTests.entries(["Enabled": "false"])
            let set = try await client.call(
                "SetPlatformApplicationAttributes",
                disabled.merging(["PlatformApplicationArn": production]) { $1 }
            )
            #expect(set.status == 200)
            #expect(try await client.call("Publish", ["TopicArn": topic, "Message": "x"]).status == 200)
            #expect(try await Self.claimed(api).map { $0.targets[0].environment } == [.sandbox])
        }
    }

    @Test("are kept from keys of other apps, and changed by those of an app only while nobody else has them")
    func bound() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            _ = try await SNSApplicationTests.create(client, "other", SNSApplicationTests.token("com.example.other"))
            let own = try await SNSClient(api, app: TestAPI.app)
            let other = try await SNSClient(api, app: "com.example.other")
            let topic = try #require(try await own.call("CreateTopic", ["Name": "news"])["TopicArn"])
            #expect(try await other.call("GetTopicAttributes", ["TopicArn": topic]).code == "NotFound")
            #expect(try await other.call("ListTopics").texts("TopicArn").isEmpty)
            let differently = SNSApplicationTests.entries(["DisplayName": "Other"]).merging(["Name": "news"]) { $1 }
            #expect(try await other.call("CreateTopic", differently).code == "AuthorizationError")
            #expect(try await other.call("ListTopics").texts("TopicArn").isEmpty)
            let attribute = ["TopicArn": topic, "AttributeName": "DisplayName", "AttributeValue": "News"]
            #expect(try await own.call("SetTopicAttributes", attribute).status == 200)
            let shared = "/v1/apps/com.example.other/topics/news"
            #expect(try await api.call(.put, shared, #"{"displayName":"News"}"#).status == 201)
            #expect(try await other.call("CreateTopic", ["Name": "news"]).status == 200)
            #expect(try await own.call("SetTopicAttributes", attribute).code == "AuthorizationError")
            #expect(try await client.call("SetTopicAttributes", attribute).status == 200)
            #expect(try await client.call("ListTopics").texts("TopicArn") == [topic])
        }
    }

    @Test("refuse what this server does not do, in words")
    func unsupported() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
            let fifo = SNSApplicationTests.entries(["FifoTopic": "true"]).merging(["Name": "a.fifo"]) { $1 }
            #expect(
                try await client.call("CreateTopic", fifo).message
                    == "Invalid parameter: Attributes Reason: FIFO topics are not supported by this server"
            )
            for (name, place) in [
                ("email", "a@example.com"), ("sqs", "arn:aws:sqs:a:1:b"),
            ] {
                let answer = try await client.call(
                    "Subscribe",
                    ["TopicArn": topic, "Protocol": name, "Endpoint": place]
                )
                #expect(answer.code == "InvalidParameter")
                #expect(
                    answer.message?.hasPrefix("Invalid parameter: Protocol Reason: \(name) is not supported") == true
                )
            }
            let token = ["TopicArn": topic, "Token": String(repeating: "a", count: 64)]
            #expect(try await client.call("ConfirmSubscription", token).message == "Invalid parameter: Token")
            // An unknown topic is reported before its subscriber is looked at.
            for (name, place) in [("email", "a@example.com"), ("http", "x"), ("application", "x")] {
                let answer = try await client.call(
                    "Subscribe",
                    ["TopicArn": client.arn("none"), "Protocol": name, "Endpoint": place]
                )
                #expect(answer.message == "Topic does not exist")
            }
            let missing = ["TopicArn": topic, "Protocol": "application", "Endpoint": client.arn("endpoint/APNS/a/b")]
            #expect(
                try await client.call("Subscribe", missing).message
                    == "Invalid parameter: Endpoint Reason: Endpoint does not exist for endpoint arn"
                    + client.arn("endpoint/APNS/a/b")
            )
        }
    }

    @Test("tell in log and metrics what nobody of a platform can be sent, and refuse what no platform takes")
    func leftOut() async throws {
        let registry = MetricsRegistry()
        var setup = TestSetup()
        setup.metrics = registry
        try await withAPI(setup) { api async throws in
            let (client, application) = try await SNSEndpointTests.application(api)
            let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
            let endpoint = try #require(try await SNSEndpointTests.create(client, application)["EndpointArn"])
            let fields = ["TopicArn": topic, "Protocol": "application", "Endpoint": endpoint]
            #expect(try await client.call("Subscribe", fields).status == 200)
            let lifetime = SNSPublishTests.attributes(["AWS.SNS.MOBILE.APNS_SANDBOX.TTL": ("Number", "-1")])
            let messages: [([String: String], reason: String)] = [
                (["Message": String(repeating: "x", count: 5000)], "Notification is too long"),
                (
                    ["Message": #"{"default":"d","APNS_SANDBOX":"{\"aps\""}"#, "MessageStructure": "json"],
                    "Notification is not a JSON object"
                ), (lifetime.merging(["Message": "x"]) { $1 }, "AWS.SNS.MOBILE.APNS_SANDBOX.TTL"),
            ]
            for (message, reason) in messages {
                let published = try await client.call("Publish", message.merging(["TopicArn": topic]) { $1 })
                #expect(published["MessageId"] != nil)
                let told = api.logs.entries.filter { $0.metadata["sns.reason"]?.description.contains(reason) == true }
                let platforms = told.compactMap { $0.metadata["sns.platform"]?.description }
                #expect(platforms.contains("APNS_SANDBOX"), "\(reason)")
                #expect(told.allSatisfy { $0.level == .notice && $0.metadata["app"]?.description == "\(TestAPI.app)" })
            }
            let metrics = try PrometheusText(registry.text())
            #expect(metrics.value("apus_sns_skipped_apps_total", ["platform": "APNS_SANDBOX"]) == 3)
            #expect(try await Self.claimed(api).isEmpty)

            let priority = SNSPublishTests.attributes(["AWS.SNS.MOBILE.APNS.PRIORITY": ("String", "7")])
            let message = priority.merging(["Message": "x"]) { $1 }
            let direct = try await client.call("Publish", message.merging(["TargetArn": endpoint]) { $1 })
            let refused = try await client.call("Publish", message.merging(["TopicArn": topic]) { $1 })
            #expect(refused.code == "InvalidParameter")
            #expect(refused.message == direct.message)
        }
    }

    @Test("are looked up by CreateTopic with a key that sends and makes topics, not with one that only sends")
    func lookedUp() async throws {
        try await withAPI { api async throws in
            let worker = try await SNSClient(api, scopes: #""send","campaigns""#)
            let topic = try #require(try await worker.call("CreateTopic", ["Name": "news"])["TopicArn"])
            #expect(try await worker.call("CreateTopic", ["Name": "news"])["TopicArn"] == topic)
            #expect(try await worker.call("Publish", ["TopicArn": topic, "Message": "x"]).status == 200)
            let sender = try await SNSClient(api, scopes: #""send""#)
            #expect(try await sender.call("CreateTopic", ["Name": "news"]).code == "AuthorizationError")
            #expect(try await sender.call("Publish", ["TopicArn": topic, "Message": "x"]).status == 200)
        }
    }

    @Test("hold filter policies to the limits of SNS, unless these are extended")
    func limits() async throws {
        let large = #"{"a":["1"],"b":["1"],"c":["1"],"d":["1"],"e":["1"],"f":["1"]}"#
        for isExtended in [false, true] {
            var setup = TestSetup()
            setup.configuration.sns.limits = isExtended ? .extended : .sns
            try await withAPI(setup) { api async throws in
                let (client, application) = try await SNSEndpointTests.application(api)
                let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
                let endpoint = try #require(try await SNSEndpointTests.create(client, application)["EndpointArn"])
                let answer = try await client.call(
                    "Subscribe",
                    SNSApplicationTests.entries(["FilterPolicy": large]).merging([
                        "TopicArn": topic, "Protocol": "application", "Endpoint": endpoint,
                    ]) { $1 }
                )
                #expect(answer.status == (isExtended ? 200 : 400))
                let long = String(repeating: "x", count: 262_145)
                let published = try await client.call("Publish", ["TopicArn": topic, "Message": long])
                #expect(published.message == (isExtended ? nil : "Invalid parameter: Message too long"))
            }
        }
    }
}
