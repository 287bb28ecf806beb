// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Several platform applications of one app", .timeLimit(.minutes(20)))
struct SNSContainerTests {
    /// An endpoint of an application, with its own data.
    private struct Member {
        let application: String
        let endpoint: String
    }

    /// Makes applications of one bundle ID, each with an endpoint for the same token.
    private static func members(
        _ client: SNSClient,
        _ applications: [(String, platform: String)]
    ) async throws -> [Member] {
        var members: [Member] = []
        for (name, platform) in applications {
            let created = try await SNSApplicationTests.create(client, name, platform: platform)
            let application = try #require(created["PlatformApplicationArn"])
            let endpoint = try await SNSEndpointTests.create(client, application, data: name)
            members.append(Member(application: application, endpoint: try #require(endpoint["EndpointArn"])))
        }
        return members
    }

    private static func list(_ application: String, _ client: SNSClient) async throws -> XMLAnswer {
        try await client.call("ListEndpointsByPlatformApplication", ["PlatformApplicationArn": application])
    }

    private static func batches(_ api: TestAPI) async throws -> [Batch] {
        try await api.store.claim(
            lane: .urgent,
            limit: 10,
            worker: "worker",
            leaseDuration: .seconds(60),
            now: TestTime.start
        ).map(\.batch)
    }

    @Test("have endpoints and attributes of their own for the same token", arguments: TestStoreBackend.chosen)
    func apart(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let client = try await SNSClient(api)
            let members = try await Self.members(client, [("one", "APNS"), ("two", "APNS")])
            for (member, other) in [(members[0], members[1]), (members[1], members[0])] {
                let list = try await Self.list(member.application, client)
                #expect(list.texts("EndpointArn") == [member.endpoint])
                #expect(list.attributes["CustomUserData"] == (member.application.hasSuffix("one") ? "one" : "two"))
                let foreign = member.endpoint.replacing("/one/", with: "/x/").replacing("/two/", with: "/one/")
                    .replacing("/x/", with: "/two/")
                #expect(try await client.call("GetEndpointAttributes", ["EndpointArn": foreign]).code == "NotFound")
                // The error of a second creation names the endpoint of the same application.
                let again = try await SNSEndpointTests.create(client, member.application)
                #expect(again.message?.contains(member.endpoint) == true)
                #expect(again.message?.contains(other.endpoint) == false)
            }
            let change = SNSApplicationTests.entries(["Enabled": "false"]).merging(["EndpointArn": members[0].endpoint])
            { $1 }
            #expect(try await client.call("SetEndpointAttributes", change).status == 200)
            let second = try await client.call("GetEndpointAttributes", ["EndpointArn": members[1].endpoint])
            #expect(second.attributes == ["CustomUserData": "two", "Enabled": "true", "Token": TestToken.hex(1)])
            let message = ["Message": "Hello"]
            let disabled = message.merging(["TargetArn": members[0].endpoint]) { $1 }
            #expect(try await client.call("Publish", disabled).code == "EndpointDisabled")
            let enabled = message.merging(["TargetArn": members[1].endpoint]) { $1 }
            #expect(try await client.call("Publish", enabled).status == 200)

            let delete = ["PlatformApplicationArn": members[0].application]
            #expect(try await client.call("DeletePlatformApplication", delete).status == 200)
            #expect(try await Self.list(members[0].application, client).code == "NotFound")
            #expect(try await Self.list(members[1].application, client).texts("EndpointArn") == [members[1].endpoint])
            #expect(try await client.call("Publish", enabled).status == 200)
        }
    }

    @Test("send each endpoint the entry of its own platform, and nothing to a disabled application")
    func platforms() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let members = try await Self.members(client, [("phones", "APNS"), ("desktops", "MACOS"), ("more", "APNS")])
            let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
            for member in members {
                let subscribe = ["TopicArn": topic, "Protocol": "application", "Endpoint": member.endpoint]
                #expect(try await client.call("Subscribe", subscribe).status == 200)
            }
            let text =
                #"{"default":"x","APNS":"{\"aps\":{\"alert\":\"ios\"}}","MACOS":"{\"aps\":{\"alert\":\"mac\"}}"}"#
            let publish = ["TopicArn": topic, "Message": text, "MessageStructure": "json"]
            #expect(try await client.call("Publish", publish).status == 200)
            let first = try await Self.batches(api)
            let ios = try APNsPayload(json: #"{"aps":{"alert":"ios"}}"#)
            let mac = try APNsPayload(json: #"{"aps":{"alert":"mac"}}"#)
            #expect(Set(first.map(\.payload)) == [.shared(ios), .shared(mac)])
            #expect(first.first { $0.payload == .shared(ios) }?.targets.count == 2, "each endpoint, as in SNS")

            let disable = SNSApplicationTests.entries(["Enabled": "false"])
                .merging(["PlatformApplicationArn": members[0].application]) { $1 }
            #expect(try await client.call("SetPlatformApplicationAttributes", disable).status == 200)
            #expect(try await client.call("Publish", publish).status == 200)
            let second = try await Self.batches(api)
            #expect(Set(second.map(\.payload)) == [.shared(ios), .shared(mac)])
            #expect(second.allSatisfy { $0.targets.count == 1 })
        }
    }

    @Test("keep the subscriptions of a deleted endpoint, as SNS does", arguments: TestStoreBackend.chosen)
    func subscriptions(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let client = try await SNSClient(api)
            let member = try await Self.members(client, [("one", "APNS")])[0]
            let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
            let subscribe = ["TopicArn": topic, "Protocol": "application", "Endpoint": member.endpoint]
            let arn = try #require(try await client.call("Subscribe", subscribe)["SubscriptionArn"])
            #expect(try await client.call("DeleteEndpoint", ["EndpointArn": member.endpoint]).status == 200)
            let list = try await client.call("ListSubscriptionsByTopic", ["TopicArn": topic])
            #expect(list.texts("Endpoint") == [member.endpoint])
            let shown = try await client.call("GetSubscriptionAttributes", ["SubscriptionArn": arn])
            #expect(shown.attributes["Endpoint"] == member.endpoint)
            #expect(try await client.call("Subscribe", subscribe).code == "InvalidParameter")
            #expect(try await client.call("Publish", ["TopicArn": topic, "Message": "x"]).status == 200)
            #expect(try await Self.batches(api).isEmpty)
            #expect(try await client.call("Unsubscribe", ["SubscriptionArn": arn]).status == 200)
            let left = try await client.call("ListSubscriptionsByTopic", ["TopicArn": topic])
            #expect(left.texts("Endpoint") == [])
        }
    }

    @Test("refuse a name of more than 256 characters in the words of SNS, with all of it")
    func names() async throws {
        try await withAPI { api async throws in
            let client = try await SNSClient(api)
            let name = String(repeating: "a", count: 257)
            let refused = try await SNSApplicationTests.create(client, name)
            #expect(refused.code == "InvalidParameter")
            #expect(refused.message == "Invalid parameter: \(name) Reason: must be at most 256 characters long")
        }
    }
}
