// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Telemetry
import Testing

@Suite("Messages to an endpoint of the SNS endpoint", .timeLimit(.minutes(20)))
struct SNSPublishTests {
    /// A client, and the ARN of an endpoint.
    private static func endpoint(_ api: TestAPI) async throws -> (client: SNSClient, arn: String) {
        let (client, application) = try await SNSEndpointTests.application(api)
        let created = try await SNSEndpointTests.create(client, application)
        return (client, try #require(created["EndpointArn"]))
    }

    private static func claimed(_ api: TestAPI) async throws -> ClaimedBatch? {
        try await api.store.claim(
            lane: .urgent,
            limit: 1,
            worker: "worker",
            leaseDuration: .seconds(60),
            now: TestTime.start
        ).first
    }

    /// Message attributes as clients send them.
    static func attributes(_ attributes: [String: (type: String, value: String)]) -> [String: String] {
        var form: [String: String] = [:]
        for (index, attribute) in attributes.sorted(by: { $0.key < $1.key }).enumerated() {
            let entry = "MessageAttributes.entry.\(index + 1)"
            form["\(entry).Name"] = attribute.key
            form["\(entry).Value.DataType"] = attribute.value.type
            form["\(entry).Value.StringValue"] = attribute.value.value
        }
        return form
    }

    @Test("are stored durably under the id that the caller is told", arguments: TestStoreBackend.chosen)
    func stored(store: TestStoreBackend) async throws {
        try await withAPI(TestSetup(store: store)) { api async throws in
            let (client, arn) = try await Self.endpoint(api)
            let text = #"{"default":"x","APNS_SANDBOX":"{\"aps\":{\"alert\":\"寿司\"},\"n\":1}"}"#
            let published = try await client.call(
                "Publish",
                ["TargetArn": arn, "Message": text, "MessageStructure": "json"]
            )
            #expect(published.status == 200)
            let id = try #require(published["MessageId"].flatMap { NotificationID($0) })
            #expect(try await api.store.notification(id)?.notification.targetCount == 1)
            let batch = try #require(try await Self.claimed(api)).batch
            #expect(batch.targets[0] == Target(token: TestToken.token(1), environment: .sandbox))
            #expect(batch.payload == .shared(try APNsPayload(json: #"{"aps":{"alert":"寿司"},"n":1}"#)))
            #expect(batch.headers.topic == (try Topic(TestAPI.app.rawValue)))
            #expect(batch.headers.pushType == .alert)
            let fourWeeks = Int64(TestTime.start.timeIntervalSince1970) + 28 * 86400
            #expect(batch.headers.expiration == APNsExpiration(rawValue: fourWeeks))
        }
    }

    @Test("have the headers that the reserved attributes ask for")
    func headers() async throws {
        try await withAPI { api async throws in
            let (client, arn) = try await Self.endpoint(api)
            let attributes = Self.attributes([
                "AWS.SNS.MOBILE.APNS_SANDBOX.TTL": ("Number", "600"),
                "AWS.SNS.MOBILE.APNS.TTL": ("Number", "5"),
                "AWS.SNS.MOBILE.APNS.TOPIC": ("String", "com.example.app.voip"),
                "AWS.SNS.MOBILE.APNS.PUSH_TYPE": ("String", "voip"),
                "AWS.SNS.MOBILE.APNS.PRIORITY": ("String", "5"),
                "AWS.SNS.MOBILE.APNS.COLLAPSE_ID": ("String", "score"),
            ])
            let published = try await client.call(
                "Publish",
                attributes.merging(["TargetArn": arn, "Message": "Hello"]) { $1 }
            )
            #expect(published.status == 200)
            let batch = try #require(try await Self.claimed(api)).batch
            #expect(batch.headers.topic.rawValue == "com.example.app.voip")
            #expect(batch.headers.pushType == .voip)
            #expect(batch.headers.priority == .powerConsiderate)
            #expect(batch.headers.collapseID == (try CollapseID("score")))
            let end = Int64(TestTime.start.timeIntervalSince1970) + 600
            #expect(batch.headers.expiration == APNsExpiration(rawValue: end))
            #expect(batch.expiresAt == Date(timeIntervalSince1970: Double(end)))
            #expect(batch.payload == .shared(try APNsPayload(json: #"{"aps":{"alert":"Hello"}}"#)))
        }
    }

    @Test("are refused with the sentences of SNS, and nothing is stored then")
    func refused() async throws {
        try await withAPI { api async throws in
            let (client, arn) = try await Self.endpoint(api)
            func publish(_ parameters: [String: String]) async throws -> XMLAnswer {
                try await client.call("Publish", ["TargetArn": arn].merging(parameters) { $1 })
            }
            #expect(try await publish(["Message": ""]).message == "Invalid parameter: Empty message")
            #expect(
                try await publish(["Message": "x", "MessageStructure": "json"]).message
                    == "Invalid parameter: Message Structure - JSON message body failed to parse"
            )
            let long = String(repeating: "x", count: 262_145)
            #expect(try await publish(["Message": long]).message == "Invalid parameter: Message too long")
            #expect(
                try await publish(["Message": String(repeating: "x", count: 4096)]).message
                    == "Invalid parameter: Message Reason: Invalid notification for protocol APNS_SANDBOX: "
                    + "Notification is too long"
            )
            #expect(
                try await publish(["TargetArn": arn + "0", "Message": "x"]).message
                    == "Invalid parameter: TargetArn Reason: No endpoint found for the target arn specified"
            )
            #expect(
                try await client.call("Publish", ["Message": "x"]).message
                    == "Invalid parameter: TopicArn or TargetArn Reason: no value for required parameter"
            )
            let attribute = Self.attributes(["a": ("Text", "x")]).merging(["Message": "x"]) { $1 }
            #expect(try await publish(attribute).code == "ParameterValueInvalid")
            #expect(try await Self.claimed(api) == nil)
        }
    }

    @Test("wait for an application that is disabled to be enabled")
    func disabledApplication() async throws {
        try await withAPI { api async throws in
            let (client, arn) = try await Self.endpoint(api)
            func set(_ value: String) async throws {
                let application = ["PlatformApplicationArn": client.arn("app/APNS_SANDBOX/shop")]
                let enabled = SNSApplicationTests.entries(["Enabled": value])
                let answer = try await client.call(
                    "SetPlatformApplicationAttributes",
                    enabled.merging(application) { $1 }
                )
                #expect(answer.status == 200)
            }
            try await set("false")
            let refused = try await client.call("Publish", ["TargetArn": arn, "Message": "x"])
            #expect(refused.code == "PlatformApplicationDisabled")
            #expect(refused.message == "Platform application is disabled")
            try await set("true")
            #expect(try await client.call("Publish", ["TargetArn": arn, "Message": "x"]).status == 200)
        }
    }

    @Test("are counted by operation and by what was answered")
    func metrics() async throws {
        let registry = MetricsRegistry()
        var setup = TestSetup()
        setup.metrics = registry
        try await withAPI(setup) { api async throws in
            let (client, arn) = try await Self.endpoint(api)
            _ = try await client.call("Publish", ["TargetArn": arn, "Message": "x"])
            _ = try await client.call("Publish", ["TargetArn": arn, "Message": ""])
            let metrics = try PrometheusText(registry.text())
            for code in ["OK", "InvalidParameter"] {
                #expect(metrics.value("apus_sns_requests_total", ["action": "Publish", "code": code]) == 1)
            }
        }
    }
}
