// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@testable import SNSProtocol

@Suite("ARNs and names")
struct ARNTests {
    @Test("ARNs of every kind are read and written alike")
    func roundTrip() throws {
        let region = TestCall.region
        #expect(try TopicARN(TestCall.topic, region: region).description == TestCall.topic)
        #expect(try SubscriptionARN(TestCall.subscription, region: region).description == TestCall.subscription)
        #expect(try ApplicationARN(TestCall.application, region: region).description == TestCall.application)
        #expect(try EndpointARN(TestCall.endpoint, region: region).description == TestCall.endpoint)
        let endpoint = try EndpointARN(TestCall.endpoint, region: nil)
        #expect(endpoint.application.platform == .apns)
        #expect(endpoint.application.name == "watchme")
        #expect(endpoint.id == "0f9e8d7c-1")
    }

    @Test(
        "the partition follows from the region",
        arguments: [("eu-west-1", "aws"), ("cn-north-1", "aws-cn"), ("us-gov-west-1", "aws-us-gov")]
    )
    func partition(region: String, partition: String) throws {
        let scope = try #require(SNSScope(region: region, account: "000000000000"))
        let topic = try #require(TopicARN(scope: scope, name: "t"))
        #expect(topic.description == "arn:\(partition):sns:\(region):000000000000:t")
        #expect(try TopicARN(topic.description, region: region) == topic)
    }

    @Test(
        "what has too few parts is told how many",
        arguments: [("", 1), ("topic", 1), ("arn:aws:sns:us-east-1:123456789012", 5), ("a:b", 2), (":::", 4)]
    )
    func parts(text: String, count: Int) {
        let reason = "Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not \(count)"
        #expect(throws: SNSError(.invalidParameter, reason)) { try TopicARN(text, region: nil) }
    }

    @Test(
        "no topic's ARN",
        arguments: [
            "arn:aws:sns:eu-west-1:123456789012:news", "arn:aws:sqs:ap-northeast-1:123456789012:news",
            "arn:aws-cn:sns:ap-northeast-1:123456789012:news", "arn:aws:sns:ap-northeast-1:12345678901:news",
            "arn:aws:sns:ap-northeast-1:123456789012:", "arn:aws:sns:ap-northeast-1:123456789012:a:b",
            "arn:aws:sns:ap-northeast-1:123456789012:a/b", "urn:aws:sns:ap-northeast-1:123456789012:news",
            "arn:aws:sns:ap-northeast-1:123456789012:寿司", "arn:aws:sns:ap-northeast-1:12345678901x:news",
        ]
    )
    func noTopic(text: String) {
        #expect(throws: SNSError(.invalidParameter, "Invalid parameter: TopicArn")) {
            try TopicARN(text, region: TestCall.region)
        }
    }

    @Test("other ARNs are refused in SNS' words")
    func others() {
        let slashes = "Reason: Wrong number of slashes in relative portion of the ARN."
        let cases: [(String, () throws -> Void)] = [
            ("SubscriptionArn Reason: no value for required parameter", { _ = try SubscriptionARN("", region: nil) }),
            ("SubscriptionId", { _ = try SubscriptionARN(TestCall.topic, region: nil) }),
            ("SubscriptionId", { _ = try SubscriptionARN(TestCall.topic + ":", region: nil) }),
            ("SubscriptionArn", { _ = try SubscriptionARN(TestCall.subscription + ":x", region: nil) }),
            (
                "SubscriptionArn Reason: An ARN must have at least 6 elements, not 1",
                { _ = try SubscriptionARN("pending confirmation", region: nil) }
            ),
            ("EndpointArn \(slashes)", { _ = try EndpointARN(TestCall.application, region: nil) }),
            ("PlatformApplicationArn \(slashes)", { _ = try ApplicationARN(TestCall.endpoint, region: nil) }),
            ("PlatformApplicationArn", { _ = try ApplicationARN(TestCall.application, region: "eu-west-1") }),
        ]
        for (text, body) in cases {
            #expect(TestCall.error(body)?.message == "Invalid parameter: \(text)")
        }
    }

    @Test(
        "topic names",
        arguments: [
            ("a", false, true), (String(repeating: "a", count: 256), false, true), ("A-z_09", false, true),
            ("a.fifo", true, true), ("", false, false), (String(repeating: "a", count: 257), false, false),
            ("a.b", false, false), ("a b", false, false), ("é", false, false), ("a.fifo", false, false),
            ("a", true, false), (".fifo", true, false),
        ]
    )
    func topicName(name: String, isFIFO: Bool, isAllowed: Bool) {
        let error = TestCall.error { try ResourceName.checkTopic(name, isFIFO: isFIFO) }
        #expect(error == (isAllowed ? nil : SNSError(.invalidParameter, "Invalid parameter: Topic Name")))
    }

    @Test("application names are refused with themselves in place of the parameter")
    func applicationName() {
        func message(_ name: String) -> String? {
            TestCall.error { try ResourceName.checkApplication(name) }?.message
        }
        #expect(message("a.b-c_9") == nil)
        #expect(message("") == "Invalid parameter:  Reason: cannot be empty")
        #expect(message(String(repeating: "a", count: 257))?.hasSuffix("must be at most 256 characters long") == true)
        #expect(
            message("a b")
                == "Invalid parameter: a b Reason: must contain only characters 'a'-'z', 'A'-'Z', '0'-'9', '_', '-', and '.'"
        )
    }

    @Test("platforms of others are not supported", arguments: ["GCM", "FCM", "ADM", "apns", ""])
    func platform(name: String) {
        #expect(throws: SNSError(.invalidParameter, "Invalid parameter: Platform Reason: \(name) is not supported")) {
            try SNSPlatform(parameter: name)
        }
    }

    @Test("platforms know their environment and their type of push")
    func platforms() {
        #expect(SNSPlatform.apns.environment == .production)
        #expect(SNSPlatform.allCases.filter { $0.environment == .sandbox }.count == 5)
        #expect(SNSPlatform.apnsVoIPSandbox.pushType == .voip)
        #expect(SNSPlatform.macOS.pushType == nil)
    }
}
