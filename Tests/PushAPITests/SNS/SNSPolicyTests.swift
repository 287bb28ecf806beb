// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import SNSProtocol
import StoreTesting
import Testing

@Suite("Keys with a policy", .timeLimit(.minutes(20)))
struct SNSPolicyTests {
    private static let worker = """
        {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["sns:Publish"],\
        "Resource":"arn:aws:sns:ap-northeast-1:*:news"}]}
        """

    @Test("publish to the one topic that it names, at both addresses", arguments: TestStoreBackend.chosen)
    func worker(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let admin = try await SNSClient(api)
            for name in ["news", "other"] {
                #expect(try await api.call(.put, "/v1/apps/\(TestAPI.app)/topics/\(name)").status == 201)
            }
            let client = try await SNSClient(api, policy: Self.worker)
            func publish(_ topic: String) async throws -> XMLAnswer {
                try await client.call("Publish", ["TopicArn": client.arn(topic), "Message": "x"])
            }
            #expect(try await publish("news").status == 200)
            let batch = [
                "TopicArn": client.arn("news"), "PublishBatchRequestEntries.member.1.Id": "a",
                "PublishBatchRequestEntries.member.1.Message": "x",
            ]
            #expect(try await client.call("PublishBatch", batch).status == 200, "AWS names no action of its own for it")
            let refused = try await publish("other")
            #expect(refused.status == 403)
            #expect(refused.code == "AuthorizationError")
            #expect(
                refused.message
                    == "User: arn:aws:iam::000000000000:user/\(client.accessKeyID) is not authorized to perform: "
                    + "SNS:Publish on resource: \(client.arn("other")) because no identity-based policy allows the "
                    + "SNS:Publish action"
            )
            for (action, parameters) in [
                ("ListTopics", [:]), ("DeleteTopic", ["TopicArn": client.arn("news")]),
                ("CreateTopic", ["Name": "news"]), ("GetTopicAttributes", ["TopicArn": client.arn("news")]),
            ] {
                #expect(try await client.call(action, parameters).code == "AuthorizationError", "\(action)")
            }
            var elsewhere = client
            elsewhere.region = "eu-west-1"
            let foreign = try await elsewhere.call("Publish", ["TopicArn": elsewhere.arn("news"), "Message": "x"])
            #expect(foreign.code == "AuthorizationError")

            let path = "/v1/apps/\(TestAPI.app)/topics"
            let message = #"{"payload":{"aps":{"alert":"x"}}}"#
            let sent = try await api.call(.post, "\(path)/news/notifications", message, key: client.bearer)
            #expect(sent.status == 200, "\(sent.text)")
            for (method, path) in [
                (.post, "\(path)/other/notifications"), (.put, "\(path)/news"), (.get, "\(path)/news"), (.get, path),
                (.delete, "\(path)/news"), (.post, "/v1/apps/\(TestAPI.app)/notifications"), (.get, "/v1/apps"),
                (.get, "/v1/keys"), (.post, "/v1/keys"),
            ] as [(HTTPRequest.Method, String)] {
                let refused = try await api.call(method, path, method == .get ? nil : message, key: client.bearer)
                #expect(refused.status == 403, "\(method) \(path)")
                #expect(refused.code == "policy_denied", "\(method) \(path)")
            }
            #expect(try await admin.call("DeleteTopic", ["TopicArn": admin.arn("news")]).status == 200)
        }
    }

    @Test("are limited on every action of SNS: what is denied is refused, whatever its resource")
    func everyAction() async throws {
        try await withAPI { api async throws in
            let admin = try await SNSClient(api)
            let created = try await SNSApplicationTests.create(admin)
            let application = try #require(created["PlatformApplicationArn"])
            let endpoint = try #require(try await SNSEndpointTests.create(admin, application)["EndpointArn"])
            let topic = try #require(try await admin.call("CreateTopic", ["Name": "news"])["TopicArn"])
            let subscribe = ["TopicArn": topic, "Protocol": "application", "Endpoint": endpoint]
            let subscription = try #require(try await admin.call("Subscribe", subscribe)["SubscriptionArn"])
            let entries = SNSApplicationTests.entries(["Enabled": "true"])
            let calls: [SNSAction: [String: String]] = [
                .createTopic: ["Name": "news"], .deleteTopic: ["TopicArn": topic],
                .getTopicAttributes: ["TopicArn": topic],
                .setTopicAttributes: ["TopicArn": topic, "AttributeName": "DisplayName", "AttributeValue": "x"],
                .listTopics: [:],
                .addPermission: [
                    "TopicArn": topic, "Label": "a", "AWSAccountId.member.1": "123456789012",
                    "ActionName.member.1": "Publish",
                ],
                .removePermission: ["TopicArn": topic, "Label": "a"], .subscribe: subscribe,
                .confirmSubscription: ["TopicArn": topic, "Token": String(repeating: "a", count: 64)],
                .unsubscribe: ["SubscriptionArn": subscription],
                .getSubscriptionAttributes: ["SubscriptionArn": subscription],
                .setSubscriptionAttributes: [
                    "SubscriptionArn": subscription, "AttributeName": "FilterPolicy", "AttributeValue": "{}",
                ],
                .listSubscriptions: [:], .listSubscriptionsByTopic: ["TopicArn": topic],
                .createPlatformApplication: SNSApplicationTests.token().merging(["Name": "shop", "Platform": "APNS"]) {
                    $1
                },
                .deletePlatformApplication: ["PlatformApplicationArn": application],
                .getPlatformApplicationAttributes: ["PlatformApplicationArn": application],
                .setPlatformApplicationAttributes: entries.merging(["PlatformApplicationArn": application]) { $1 },
                .listPlatformApplications: [:],
                .createPlatformEndpoint: ["PlatformApplicationArn": application, "Token": TestToken.hex(1)],
                .deleteEndpoint: ["EndpointArn": endpoint], .getEndpointAttributes: ["EndpointArn": endpoint],
                .setEndpointAttributes: entries.merging(["EndpointArn": endpoint]) { $1 },
                .listEndpointsByPlatformApplication: ["PlatformApplicationArn": application],
                .publish: ["TargetArn": endpoint, "Message": "x"],
                .publishBatch: [
                    "TopicArn": topic, "PublishBatchRequestEntries.member.1.Id": "a",
                    "PublishBatchRequestEntries.member.1.Message": "x",
                ],
                .tagResource: ["ResourceArn": topic, "Tags.member.1.Key": "a", "Tags.member.1.Value": "b"],
                .untagResource: ["ResourceArn": topic, "TagKeys.member.1": "a"],
                .listTagsForResource: ["ResourceArn": topic],
            ]
            #expect(Set(calls.keys) == Set(SNSAction.allCases))
            let nothing = #"{"Statement":{"Effect":"Deny","Action":"sns:*","Resource":"*"}}"#
            let denied = try await SNSClient(api, policy: nothing)
            let all = #"{"Statement":{"Effect":"Allow","Action":"sns:*","Resource":"*"}}"#
            let allowed = try await SNSClient(api, policy: all)
            for (action, parameters) in calls.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let refused = try await denied.call(action.rawValue, parameters)
                #expect(refused.code == "AuthorizationError", "\(action): \(refused.text)")
                #expect(refused.message?.hasSuffix("with an explicit deny in an identity-based policy") == true)
            }
            for action in [SNSAction.listTopics, .publish, .getEndpointAttributes, .getSubscriptionAttributes] {
                let answer = try await allowed.call(action.rawValue, calls[action] ?? [:])
                #expect(answer.status == 200, "\(action): \(answer.text)")
            }
            // A scope is needed besides.
            let reader = try await SNSClient(api, scopes: #""read""#, policy: all)
            #expect(try await reader.call("Publish", calls[.publish] ?? [:]).code == "AuthorizationError")
        }
    }

    @Test("use subscriptions of their topics alone on /v1")
    func subscriptions() async throws {
        try await withAPI { api async throws in
            let policy = #"{"Statement":{"Effect":"Allow","Action":"sns:*","Resource":"arn:aws:sns:*:*:news"}}"#
            let client = try await SNSClient(api, policy: policy)
            var locations: [String] = []
            for topic in ["news", "other"] {
                let path = "/v1/apps/\(TestAPI.app)/topics/\(topic)"
                #expect(try await api.call(.put, path).status == 201)
                let made = try await api.call(.post, "\(path)/subscriptions", #"{"user":"a"}"#)
                locations.append(try #require(made.headers[.location]))
            }
            #expect(try await api.call(.get, locations[0], key: client.bearer).status == 200)
            #expect(try await api.call(.delete, locations[0], key: client.bearer).status == 204)
            #expect(try await api.call(.get, locations[1], key: client.bearer).code == "policy_denied")
            #expect(try await api.call(.delete, locations[1], key: client.bearer).code == "policy_denied")
            let list = "/v1/apps/\(TestAPI.app)/subscriptions"
            #expect(try await api.call(.get, list, key: client.bearer).code == "policy_denied", "it lists all topics")
        }
    }

    @Test("are made with a policy that can be read, and show it")
    func creation() async throws {
        try await withAPI { api async throws in
            let made = try await api.call(
                .post,
                "/v1/keys",
                #"{"name":"a","scopes":["send"],"policy":\#(Self.worker)}"#
            )
            #expect(made.status == 201, "\(made.text)")
            let listed = try await api.call(.get, "/v1/keys")
            let shown = listed.json["keys"]?.elements.compactMap { $0["policy"] }
            #expect(shown?.count == 1)
            #expect(shown?.first == made.json["policy"])
            let condition = """
                {"Statement":[{"Effect":"Allow","Action":"sns:*","Resource":"*","Condition":{}}]}
                """
            let refused = try await api.call(
                .post,
                "/v1/keys",
                #"{"name":"a","scopes":["send"],"policy":\#(condition)}"#
            )
            #expect(refused.code == "invalid_request")
            #expect(refused.text.contains("Statement[0].Condition"), "\(refused.text)")
        }
    }
}
