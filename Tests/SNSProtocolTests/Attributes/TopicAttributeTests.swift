// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Testing

@testable import SNSProtocol

@Suite("Attributes of topics")
struct TopicAttributeTests {
    private static func description(_ values: [String: String] = [:]) throws -> [String: String] {
        let topic = try TopicARN(TestCall.topic, region: nil)
        let description = TopicDescription(topic: topic, settings: try TopicSettings(values), confirmed: 3, pending: 1)
        return Dictionary(uniqueKeysWithValues: description.attributes.map { ($0.name, $0.value) })
    }

    @Test("a new topic is described as SNS describes it")
    func defaults() throws {
        let values = try Self.description()
        #expect(values["TopicArn"] == TestCall.topic)
        #expect(values["Owner"] == "123456789012")
        #expect(values["DisplayName"] == "")
        #expect(values["SubscriptionsConfirmed"] == "3")
        #expect(values["SubscriptionsPending"] == "1")
        #expect(values["SubscriptionsDeleted"] == "0")
        #expect(
            values["EffectiveDeliveryPolicy"]
                == #"{"http":{"defaultHealthyRetryPolicy":{"minDelayTarget":20,"maxDelayTarget":20,"numRetries":3,"numMaxDelayRetries":0,"numNoDelayRetries":0,"numMinDelayRetries":0,"backoffFunction":"linear"},"disableSubscriptionOverrides":false,"defaultRequestPolicy":{"headerContentType":"text/plain; charset=UTF-8"}}}"#
        )
        #expect(
            values["Policy"]
                == #"{"Version":"2008-10-17","Id":"__default_policy_ID","Statement":[{"Sid":"__default_statement_ID","Effect":"Allow","Principal":{"AWS":"*"},"Action":["SNS:GetTopicAttributes","SNS:SetTopicAttributes","SNS:AddPermission","SNS:RemovePermission","SNS:DeleteTopic","SNS:Subscribe","SNS:ListSubscriptionsByTopic","SNS:Publish"],"Resource":"\#(TestCall.topic)","Condition":{"StringEquals":{"AWS:SourceOwner":"123456789012"}}}]}"#
        )
        #expect(values.count == 8)
    }

    @Test(
        "what only FIFO topics have is unknown to others",
        arguments: ["ContentBasedDeduplication", "ArchivePolicy", "FifoThroughputScope"]
    )
    func orderly(name: String) throws {
        let values = ["ContentBasedDeduplication": "true", "ArchivePolicy": "{}", "FifoThroughputScope": "Topic"]
        let value = try #require(values[name])
        let made = TestCall.error { _ = try TopicSettings([name: value]) }
        #expect(made?.code == .invalidParameter)
        #expect(made?.message.contains(name) == true)
        var settings = TopicSettings()
        let changed = TestCall.error { try settings.set(SNSAttribute(name: name, value: value)) }
        #expect(changed?.message == "Invalid parameter: AttributeName")
        #expect(try TopicSettings([name: value, "FifoTopic": "true"])[name] == value)
    }

    @Test("what was set is described as it was given")
    func set() throws {
        let values = try Self.description(["DisplayName": "寿司", "SignatureVersion": "2"])
        #expect(values["DisplayName"] == "寿司")
        #expect(values["SignatureVersion"] == "2")
        #expect(TopicSettings().signatureVersion == .sha1)
        #expect(TopicSettings(stored: ["SignatureVersion": "2"]).signatureVersion == .sha256)
        let policy = #"{"http":{"defaultHealthyRetryPolicy":{"numRetries":9}}}"#
        #expect(TopicSettings(stored: ["DeliveryPolicy": policy]).deliveryPolicy.retry.retries == 9)
        #expect(try Self.description(["DeliveryPolicy": policy])["EffectiveDeliveryPolicy"]?.contains(":9,") == true)
    }

    @Test(
        "values that are none are refused with name, value and rule",
        arguments: [
            ("SignatureVersion", "3", "SignatureVersion: Invalid value [3]. Must be 1 or 2."),
            (
                "HTTPSuccessFeedbackSampleRate", "101",
                "HTTPSuccessFeedbackSampleRate: Invalid value [101]. Must be a number of 0...100."
            ),
            ("Policy", "x", "Policy: Invalid value [x]. Must be a JSON object."),
            ("TracingConfig", "On", "TracingConfig: Invalid value [On]. Must be PassThrough or Active."),
            ("DisplayName", "a\u{0}", "DisplayName: must be text that XML can carry, got U+0000 at byte 1"),
        ]
    )
    func refused(name: String, value: String, text: String) {
        let inMap = TestCall.error { _ = try TopicSettings([name: value]) }
        #expect(inMap == SNSError(.invalidParameter, "Invalid parameter: Attributes Reason: \(text)"))
        var settings = TopicSettings()
        let alone = TestCall.error { try settings.set(SNSAttribute(name: name, value: value)) }
        #expect(alone == SNSError(.invalidParameter, "Invalid parameter: \(text)"))
        #expect(settings == TopicSettings())
    }

    @Test("a name that cannot be set is refused", arguments: ["FifoTopic", "Owner", "TopicArn", ""])
    func name(name: String) {
        var settings = TopicSettings()
        let error = TestCall.error { try settings.set(SNSAttribute(name: name, value: "true")) }
        #expect(error == SNSError(.invalidParameter, "Invalid parameter: AttributeName"))
    }

    @Test("a topic may be made once more with what it has, and with nothing else")
    func agreement() throws {
        let stored = try TopicSettings(["DisplayName": "a", "SignatureVersion": "1"])
        try stored.checkAgreement(with: TopicSettings())
        try stored.checkAgreement(with: TopicSettings(["DisplayName": "a"]))
        let text = "Invalid parameter: Attributes Reason: Topic already exists with different attributes"
        for other in [["DisplayName": "b"], ["TracingConfig": "Active"]] {
            #expect(throws: SNSError(.invalidParameter, text)) {
                try stored.checkAgreement(with: TopicSettings(other))
            }
        }
        let tag = SNSTag(key: "a", value: "1")
        try TopicSettings.checkAgreement(of: [tag], with: nil)
        try TopicSettings.checkAgreement(of: [tag], with: [tag])
        let other = SNSTag(key: "b", value: "2")
        try TopicSettings.checkAgreement(of: [tag, other], with: [other])
        for others in [[tag, other], [SNSTag(key: "a", value: "2")]] {
            let error = TestCall.error { try TopicSettings.checkAgreement(of: [tag], with: others) }
            #expect(error?.message == "Invalid parameter: Tags Reason: Topic already exists with different tags")
        }
    }

    @Test("a topic that is no FIFO topic may say so, and does not show it")
    func standard() throws {
        let stored = try TopicSettings(["FifoTopic": "False", "DisplayName": "a"])
        #expect(stored.values == ["DisplayName": "a"])
        #expect(TopicSettings(stored: ["FifoTopic": "false", "DisplayName": "a"]) == stored)
        try stored.checkAgreement(with: TopicSettings(["FifoTopic": "false"]))
        #expect(TestCall.error { try stored.checkAgreement(with: TopicSettings(["FifoTopic": "true"])) } != nil)
        #expect(try Self.description(["FifoTopic": "false"])["FifoTopic"] == nil)
    }

    @Test("JSON in another notation is the same attribute, other content is not")
    func notation() throws {
        // The second is how SNS returns the first.
        let given = #"{"http": {"defaultRequestPolicy": {"headerContentType": "application/json"}}}"#
        let returned =
            #"{"http":{"disableSubscriptionOverrides":false,"defaultRequestPolicy":{"headerContentType":"application/json"}}}"#
        try TopicSettings(["DeliveryPolicy": returned]).checkAgreement(with: TopicSettings(["DeliveryPolicy": given]))
        try TopicSettings(["Policy": #"{"a":1,"b":[]}"#])
            .checkAgreement(with: TopicSettings(["Policy": #"{ "b": [], "a": 1 }"#]))
        for (name, one, other) in [
            ("DeliveryPolicy", returned, #"{"http":{"defaultHealthyRetryPolicy":{"numRetries":9}}}"#),
            ("Policy", #"{"a":1}"#, #"{"a":2}"#), ("DisplayName", "{}", "{ }"),
        ] {
            let stored = try TopicSettings([name: one])
            #expect(TestCall.error { try stored.checkAgreement(with: TopicSettings([name: other])) } != nil, "\(name)")
        }
    }

    @Test("what callers have set is read from what a server describes, and nothing else")
    func described() throws {
        let given = [
            "DisplayName": "News", "KmsMasterKeyId": "alias/aws/sns", "TracingConfig": "Active",
            "SignatureVersion": "2", "ApplicationFailureFeedbackRoleArn": "arn:aws:iam::123456789012:role/log",
            "ApplicationSuccessFeedbackSampleRate": "100", "Policy": #"{"Version":"2012-10-17","Statement":[]}"#,
            "DeliveryPolicy": #"{"http":{"defaultHealthyRetryPolicy":{"numRetries":9}}}"#,
        ]
        let found = TopicSettings.read(from: try Self.description(given), of: TestCall.topic)
        #expect(found.settings.values == given)
        #expect(found.refusals.isEmpty)
        let none = TopicSettings.read(from: try Self.description(), of: TestCall.topic)
        #expect(none.settings == TopicSettings())
        #expect(none.refusals.isEmpty)
        let odd = ["FifoTopic": "false", "ContentBasedDeduplication": "false", "TracingConfig": "On", "Other": "x"]
        let taken = TopicSettings.read(from: odd, of: TestCall.topic)
        #expect(taken.settings == TopicSettings())
        let text = "Invalid parameter: TracingConfig: Invalid value [On]. Must be PassThrough or Active."
        #expect(taken.refusals == [SNSError(.invalidParameter, text)])
    }

    @Test("the policy that topics begin with is known in whatever order, and told from others")
    func defaultPolicy() throws {
        let policy = try #require(try Self.description()["Policy"])
        #expect(TopicDescription.isDefaultPolicy(policy, of: TestCall.topic))
        // As SNS wrote it once.
        let former = policy.replacingOccurrences(
            of: #""SNS:Subscribe","SNS:ListSubscriptionsByTopic","SNS:Publish""#,
            with: #""SNS:Publish","SNS:Receive","SNS:ListSubscriptionsByTopic","SNS:Subscribe""#
        )
        #expect(former != policy)
        #expect(TopicDescription.isDefaultPolicy(former, of: TestCall.topic))
        let fewer = policy.replacingOccurrences(of: #""SNS:Publish""#, with: #""SNS:Other""#)
        let others = [fewer, policy.replacingOccurrences(of: "123456789012\"}", with: "210987654321\"}"), "{}", "x"]
        for other in others {
            #expect(other != policy)
            #expect(!TopicDescription.isDefaultPolicy(other, of: TestCall.topic), "\(other)")
        }
        #expect(!TopicDescription.isDefaultPolicy(policy, of: TestCall.topic + "2"))
        #expect(!TopicDescription.isDefaultPolicy(policy, of: "news"))
    }

    @Test("FIFO topics need their attribute, and the attribute its topic")
    func fifo() throws {
        let attributes = ["Attributes.entry.1.key": "FifoTopic", "Attributes.entry.1.value": "true"]
        let error = SNSError(.invalidParameter, "Invalid parameter: Topic Name")
        #expect(TestCall.error("CreateTopic", ["Name": "a.fifo"]) == error)
        #expect(TestCall.error("CreateTopic", attributes.merging(["Name": "a"]) { $1 }) == error)
        #expect(TestCall.error("CreateTopic", attributes.merging(["Name": "a.fifo"]) { $1 }) == nil)
    }
}
