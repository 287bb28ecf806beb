// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("Calls")
struct CallTests {
    @Test("an unknown, an unsupported and no action are told apart")
    func action() {
        #expect(TestCall.error("")?.code == .missingAction)
        #expect(
            TestCall.error("Frobnicate")
                == SNSError(.invalidAction, "Could not find operation Frobnicate for version 2010-03-31")
        )
        #expect(
            TestCall.error("GetSMSAttributes")
                == SNSError(.invalidAction, "GetSMSAttributes is not supported: text messages are not delivered here.")
        )
        for action in ["GetDataProtectionPolicy", "PutDataProtectionPolicy"] {
            let sentence = "\(action) is not supported: there are no data protection policies here."
            #expect(TestCall.error(action) == SNSError(.invalidAction, sentence))
        }
        #expect(TestCall.error("ListTopics", ["Version": "2010-03-30"])?.code == .noSuchVersion)
    }

    @Test("an empty list of tags is as none at all")
    func noTags() throws {
        guard case .createTopic(let request) = try TestCall.read("CreateTopic", ["Name": "news", "Tags": ""]) else {
            Issue.record("another request")
            return
        }
        #expect(request.tags == nil)
    }

    @Test("no action of a text of any length breaks the error")
    func longAction() {
        let error = TestCall.error(String(repeating: "x", count: 100_000))
        #expect(error?.message.count ?? 0 < 200)
    }

    @Test("parameters that no operation has are passed over")
    func unknown() throws {
        let call = try TestCall.read(form: "Action=ListTopics&Foo=1&Bar.member.1=2&X-Amz-Date=x&NextToken=")
        #expect(call.request == .listTopics(nextToken: nil))
    }

    @Test(
        "what has to be there and is not is named as SNS does",
        arguments: [
            ("CreateTopic", ["name"]), ("DeleteTopic", ["topicArn"]),
            ("SetTopicAttributes", ["attributeName", "topicArn"]), ("Subscribe", ["protocol", "topicArn"]),
            ("ConfirmSubscription", ["topicArn", "token"]), ("GetSubscriptionAttributes", ["subscriptionArn"]),
            ("CreatePlatformApplication", ["name", "platform", "attributes"]),
            ("SetPlatformApplicationAttributes", ["attributes", "platformApplicationArn"]),
            ("CreatePlatformEndpoint", ["token", "platformApplicationArn"]),
            ("SetEndpointAttributes", ["attributes", "endpointArn"]), ("Publish", ["message"]),
            ("PublishBatch", ["publishBatchRequestEntries", "topicArn"]), ("TagResource", ["tags", "resourceArn"]),
            ("UntagResource", ["tagKeys", "resourceArn"]), ("ListTagsForResource", ["resourceArn"]),
            ("AddPermission", ["label", "aWSAccountId", "actionName", "topicArn"]),
            ("RemovePermission", ["label", "topicArn"]), ("GetEndpointAttributes", ["endpointArn"]),
        ]
    )
    func missing(action: String, paths: [String]) {
        #expect(TestCall.error(action) == .missing(paths))
    }

    @Test("an unsubscription without an ARN is refused like one with an empty ARN", arguments: [nil, ""])
    func unsubscribe(arn: String?) {
        let fields = arn.map { ["SubscriptionArn": $0] } ?? [:]
        let text = "Invalid parameter: SubscriptionArn Reason: no value for required parameter"
        #expect(TestCall.error("Unsubscribe", fields) == SNSError(.invalidParameter, text))
    }

    @Test("an ARN that cannot be read is reported before missing parameters")
    func malformedFirst() {
        let reason = "Reason: An ARN must have at least 6 elements, not 1"
        for (action, name) in [
            ("SetPlatformApplicationAttributes", "PlatformApplicationArn"), ("SetEndpointAttributes", "EndpointArn"),
            ("SetTopicAttributes", "TopicArn"), ("SetSubscriptionAttributes", "SubscriptionArn"),
        ] {
            let error = SNSError(.invalidParameter, "Invalid parameter: \(name) \(reason)")
            #expect(TestCall.error(action, [name: "invalid"]) == error)
        }
        #expect(
            TestCall.error("SetEndpointAttributes", ["EndpointArn": TestCall.endpoint]) == .missing(["attributes"])
        )
    }

    @Test("an ARN of another region is refused", arguments: ["Publish", "DeleteTopic", "ListSubscriptionsByTopic"])
    func region(action: String) {
        let fields = ["TopicArn": "arn:aws:sns:eu-west-1:123456789012:news", "Message": "m"]
        #expect(TestCall.error(action, fields) == SNSError(.invalidParameter, "Invalid parameter: TopicArn"))
    }

    @Test("a subscription has to be confirmed in the topic's own region")
    func confirmation() {
        for arn in ["x", "arn:aws:sns:eu-west-1:123456789012:news"] {
            let error = TestCall.error("ConfirmSubscription", ["TopicArn": arn, "Token": "t"])
            #expect(error == SNSError(.invalidParameter, "Invalid parameter: Topic"))
        }
        let error = TestCall.error("ConfirmSubscription", ["TopicArn": TestCall.topic, "Token": ""])
        #expect(error == ConfirmSubscriptionRequest.unknownToken)
        let malformed = TestCall.error("ConfirmSubscription", ["TopicArn": TestCall.topic, "Token": "randomtoken"])
        #expect(malformed == SNSError(.invalidParameter, "Invalid token"))
    }

    @Test("tags are distinct, of a length, and no more than allowed")
    func tags() throws {
        func error(_ fields: [String: String], _ limits: SNSLimits = .sns) -> SNSError? {
            let arn = ["ResourceArn": TestCall.topic]
            return TestCall.error("TagResource", fields.merging(arn) { $1 }, limits: limits)
        }
        let twice = [
            "Tags.member.1.Key": "a", "Tags.member.1.Value": "1", "Tags.member.2.Key": "a", "Tags.member.2.Value": "2",
        ]
        #expect(error(twice)?.message == "Invalid parameter: Duplicated keys are not allowed.")
        let other = twice.merging(["Tags.member.2.Key": "A"]) { $1 }
        #expect(error(other) == nil)
        #expect(
            error(["Tags.member.1.Key": "", "Tags.member.1.Value": "1"])?.message
                == "1 validation error detected: Value '' at 'tags.1.member.key' failed to satisfy constraint:"
                + " Member must have length greater than or equal to 1"
        )
        #expect(
            error(["Tags.member.1.Key": "k", "Tags.member.1.Value": String(repeating: "v", count: 257)])?.message
                .hasSuffix(
                    "at 'tags.1.member.value' failed to satisfy constraint: Member must have length less than or equal to 256"
                )
                == true
        )
        let key = String(repeating: "k", count: 128)
        #expect(error(["Tags.member.1.Key": key, "Tags.member.1.Value": ""]) == nil)
        #expect(error(["Tags.member.1.Key": key + "k", "Tags.member.1.Value": ""])?.code == .validationError)
        #expect(error(["Tags.member.1.Key": "k"]) == .missing(["tags.1.member.value"]))
        var many: [String: String] = [:]
        for number in 1...51 {
            many["Tags.member.\(number).Key"] = "k\(number)"
            many["Tags.member.\(number).Value"] = "v"
        }
        #expect(error(many) == SNSTag.tooMany)
        #expect(error(many, .extended) == nil)
        #expect(error(["Tags.member.1.Key": "k\u{1}", "Tags.member.1.Value": ""])?.message.contains("U+0001") == true)
    }

    @Test(
        "protocols and endpoints",
        arguments: [
            ("carrier-pigeon", "x", "Amazon SNS does not support this protocol string: carrier-pigeon"),
            (
                "email", "a@example.com",
                "Protocol Reason: email is not supported by this server; use application, http or https"
            ), ("sqs", "x", "Protocol Reason: sqs is not supported by this server; use application, http or https"),
            ("http", "https://example.com", "Endpoint must match the specified protocol"),
            ("https", "http://example.com", "Endpoint must match the specified protocol"),
            ("https", "", "Endpoint must match the specified protocol"),
            ("http", "http://", "Endpoint must match the specified protocol"),
            ("http", "http://:80/", "Endpoint must match the specified protocol"),
            ("http", "http://user@/", "Endpoint must match the specified protocol"),
            ("http", "http://a b/", "Endpoint must match the specified protocol"),
            ("http", "http://a/\r\nX: y", "Endpoint must match the specified protocol"),
            ("application", "x", "Endpoint Reason: An ARN must have at least 6 elements, not 1"),
        ]
    )
    func endpoint(protocolName: String, endpoint: String, text: String) {
        let fields = ["TopicArn": TestCall.topic, "Protocol": protocolName, "Endpoint": endpoint]
        let error = TestCall.error {
            guard case .subscribe(let request) = try TestCall.read("Subscribe", fields) else { return }
            _ = try request.subscriber.get()
        }
        #expect(error == SNSError(.invalidParameter, "Invalid parameter: \(text)"))
    }

    @Test("targets of a message")
    func target() throws {
        func target(_ fields: [String: String]) throws -> PublishTarget? {
            guard case .publish(let request) = try TestCall.read("Publish", fields.merging(["Message": "m"]) { $1 })
            else { return nil }
            return request.target
        }
        let topic = try TopicARN(TestCall.topic, region: nil)
        let endpoint = try EndpointARN(TestCall.endpoint, region: nil)
        #expect(try target(["TopicArn": TestCall.topic]) == .topic(topic))
        #expect(try target(["TargetArn": TestCall.topic]) == .topic(topic))
        #expect(try target(["TargetArn": TestCall.endpoint]) == .endpoint(endpoint))
        func message(_ fields: [String: String]) -> String? { TestCall.error { _ = try target(fields) }?.message }
        #expect(message([:]) == "Invalid parameter: TopicArn or TargetArn Reason: no value for required parameter")
        #expect(message(["PhoneNumber": "+81312345678"])?.contains("text messages are not delivered") == true)
        #expect(message(["TargetArn": TestCall.application])?.contains("must be the ARN of an endpoint") == true)
        #expect(message(["TargetArn": TestCall.topic, "TopicArn": TestCall.topic])?.contains("only one of") == true)
        #expect(
            message(["TopicArn": "x"])
                == "Invalid parameter: TopicArn Reason: An ARN must have at least 6 elements, not 1"
        )
    }

    @Test("every code has the status of SNS, and only the server's own faults are its own")
    func codes() {
        #expect(SNSErrorCode.allCases.filter { !$0.isSenderFault } == [.internalError])
        #expect(SNSErrorCode.throttled.status == 429)
        #expect(SNSErrorCode.resourceNotFound.status == 404)
        #expect(SNSErrorCode.parameterValueInvalid.status == 400)
        #expect(SNSErrorCode.topicLimitExceeded.status == 403)
    }
}
