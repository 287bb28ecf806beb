// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Spawn
import Testing

@testable import SNSProtocol

@Suite("What botocore makes of the answers", .timeLimit(.minutes(20)))
struct BotocoreAnswerTests {
    private static let id = "4cac1c0a-6b7d-4c1c-8a55-000000000000"

    private static let hostile = "<a> & \"b\" 'c' ]]> \r\n\t寿司 😀"

    /// The answers, and what botocore has to make of them.
    private static func cases() throws -> [(result: SNSResult, expected: [String: Any])] {
        let topic = try TopicARN(TestCall.topic, region: nil)
        let subscription = try SubscriptionARN(TestCall.subscription, region: nil)
        let application = try ApplicationARN(TestCall.application, region: nil)
        let arn = try EndpointARN(TestCall.endpoint, region: nil)
        let endpoint = EndpointDescription(
            endpoint: arn,
            token: try DeviceToken(hex: "abcd"),
            customUserData: self.hostile
        )
        let subscriptions = [
            SubscriptionDescription(subscription: subscription, target: .endpoint(arn)),
            SubscriptionDescription(subscription: subscription, target: .url("https://a/?b&c"), isPending: true),
        ]
        let listed: [[String: String]] = [
            [
                "SubscriptionArn": TestCall.subscription, "Owner": "123456789012", "Protocol": "application",
                "Endpoint": TestCall.endpoint, "TopicArn": TestCall.topic,
            ],
            [
                "SubscriptionArn": "PendingConfirmation", "Owner": "123456789012", "Protocol": "https",
                "Endpoint": "https://a/?b&c", "TopicArn": TestCall.topic,
            ],
        ]
        let attributes = [SNSAttribute(name: "a", value: self.hostile), SNSAttribute(name: "b", value: "")]
        let map = ["a": self.hostile, "b": ""]
        let getters: [SNSAction] = [
            .getTopicAttributes, .getSubscriptionAttributes, .getPlatformApplicationAttributes, .getEndpointAttributes,
        ]
        let silent: [SNSAction] = [
            .deleteTopic, .setTopicAttributes, .addPermission, .removePermission, .unsubscribe,
            .setSubscriptionAttributes, .deletePlatformApplication, .setPlatformApplicationAttributes, .deleteEndpoint,
            .setEndpointAttributes, .tagResource, .untagResource,
        ]
        var cases: [(result: SNSResult, expected: [String: Any])] = [
            (.topic(topic), ["TopicArn": TestCall.topic]),
            (.topics([topic], nextToken: "n"), ["Topics": [["TopicArn": TestCall.topic]], "NextToken": "n"]),
            (.topics([], nextToken: nil), ["Topics": [String]()]),
            (.subscribed(subscription), ["SubscriptionArn": TestCall.subscription]),
            (.subscribed(nil), ["SubscriptionArn": "pending confirmation"]),
            (.confirmed(subscription), ["SubscriptionArn": TestCall.subscription]),
            (.subscriptions(subscriptions, nextToken: nil), ["Subscriptions": listed]),
            (
                .subscriptionsByTopic(subscriptions, nextToken: "n"),
                ["Subscriptions": listed, "NextToken": "n"]
            ), (.application(application), ["PlatformApplicationArn": TestCall.application]),
            (
                .applications(
                    [SNSResult.ApplicationListing(application: application, attributes: attributes)],
                    nextToken: "n"
                ),
                [
                    "PlatformApplications": [["PlatformApplicationArn": TestCall.application, "Attributes": map]],
                    "NextToken": "n",
                ]
            ), (.endpoint(arn), ["EndpointArn": TestCall.endpoint]),
            (
                .endpoints([endpoint], nextToken: nil),
                [
                    "Endpoints": [
                        [
                            "EndpointArn": TestCall.endpoint,
                            "Attributes": ["Token": "abcd", "Enabled": "true", "CustomUserData": self.hostile],
                        ]
                    ]
                ]
            ), (.published(messageID: self.id), ["MessageId": self.id]),
            (
                .published(messageID: self.id, sequenceNumber: "10"),
                ["MessageId": self.id, "SequenceNumber": "10"]
            ),
            (
                .publishedBatch(
                    successful: [SNSResult.PublishedEntry(id: "1", messageID: self.id)],
                    failed: [SNSResult.FailedEntry(id: "2", error: SNSError(.internalError, "a & b"))]
                ),
                [
                    "Successful": [["Id": "1", "MessageId": self.id]],
                    "Failed": [["Id": "2", "Code": "InternalError", "Message": "a & b", "SenderFault": false]],
                ]
            ), (.publishedBatch(successful: [], failed: []), ["Successful": [String](), "Failed": [String]()]),
            (.tags([]), ["Tags": [String]()]),
            (.tags([SNSTag(key: "k", value: "")]), ["Tags": [["Key": "k", "Value": ""]]]),
        ]
        for action in getters { cases.append((.attributes(action, attributes), ["Attributes": map])) }
        for action in silent { cases.append((.done(action), [:])) }
        return cases
    }

    @Test("is what was answered, for every operation")
    func results() async throws {
        let cases = try Self.cases()
        #expect(Set(cases.map(\.result.action)) == Set(SNSAction.allCases))
        let answers = cases.map { ($0.result.action, SNSResponse($0.result, requestID: Self.id)) }
        let parsed = try await Self.parse(answers)
        for (index, (result, expected)) in cases.enumerated() {
            var read = parsed[index]
            let metadata = read.removeValue(forKey: "ResponseMetadata") as? [String: Any]
            #expect(metadata?["RequestId"] as? String == Self.id, "\(result)")
            #expect(try Self.text(read) == Self.text(expected), "\(result.action)")
        }
    }

    @Test("is the error, for every code")
    func errors() async throws {
        let errors = SNSErrorCode.allCases.map { SNSError($0, "\(Self.hostile) \($0)\u{1}") }
        let parsed = try await Self.parse(errors.map { (.publish, SNSResponse($0, requestID: Self.id)) })
        for (error, read) in zip(errors, parsed) {
            let read = read["Error"] as? [String: Any]
            #expect(read?["Code"] as? String == error.code.rawValue)
            #expect(read?["Type"] as? String == (error.code == .internalError ? "Receiver" : "Sender"))
            #expect(read?["Message"] as? String == "\(Self.hostile) \(error.code)\u{FFFD}")
        }
    }

    private static func text(_ value: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: value, options: .sortedKeys), as: UTF8.self)
    }

    /// Has botocore read answers.
    private static func parse(_ answers: [(SNSAction, SNSResponse)]) async throws -> [[String: Any]] {
        let list = answers.map { [$0.0.rawValue, $0.1.status, String(decoding: $0.1.body, as: UTF8.self)] as [Any] }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("answers-\(UUID()).json")
        try JSONSerialization.data(withJSONObject: list).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let output = try await PythonEnvironment.run("parse_answers.py", [file.path])
        return try #require(try JSONSerialization.jsonObject(with: output) as? [[String: Any]])
    }
}
