// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("Attributes of subscriptions")
struct SubscriptionAttributeTests {
    private static let url = SubscriptionTarget.url("https://example.com/hook")
    private static let device = try? SubscriptionTarget.endpoint(EndpointARN(TestCall.endpoint, region: nil))

    private static func setting(
        _ attributes: [(String, String)],
        target: SubscriptionTarget = Self.url
    ) throws -> SubscriptionSettings {
        var settings = SubscriptionSettings()
        for (name, value) in attributes {
            try settings.set(SNSAttribute(name: name, value: value), target: target, limits: .sns)
        }
        return settings
    }

    private static func described(_ settings: SubscriptionSettings) throws -> [String: String] {
        let description = SubscriptionDescription(
            subscription: try SubscriptionARN(TestCall.subscription, region: nil),
            target: Self.url,
            settings: settings
        )
        return Dictionary(uniqueKeysWithValues: description.attributes.map { ($0.name, $0.value) })
    }

    @Test("a policy is kept byte for byte, and taken away by an empty one")
    func policy() throws {
        let text = #"{ "a" : [ "b" ] }"#
        let settings = try Self.setting([("FilterPolicy", text)])
        #expect(try Self.described(settings)["FilterPolicy"] == text)
        #expect(try Self.described(settings)["FilterPolicyScope"] == "MessageAttributes")
        for empty in ["", "{}"] {
            let none = try Self.setting([("FilterPolicy", text), ("FilterPolicy", empty)])
            #expect(none == SubscriptionSettings())
            #expect(try Self.described(none)["FilterPolicyScope"] == nil)
        }
    }

    @Test("a policy that is refused leaves the old one")
    func kept() throws {
        var settings = try Self.setting([("FilterPolicy", #"{"a":["b"]}"#)])
        let before = settings
        let attribute = SNSAttribute(name: "FilterPolicy", value: #"{"a":"b"}"#)
        let error = TestCall.error { try settings.set(attribute, target: Self.url, limits: .sns) }
        #expect(error?.message == #"Invalid parameter: FilterPolicy: "a" must be an object or an array"#)
        #expect(settings == before)
    }

    @Test("the scope comes before the policy, and fits it")
    func scope() throws {
        let nested = #"{"a":{"b":["c"]}}"#
        let both = ["FilterPolicy": nested, "FilterPolicyScope": "MessageBody"]
        let settings = try SubscriptionSettings(both, target: Self.url, limits: .sns)
        #expect(settings.scope == .messageBody)
        let sentence = "Filter policy scope MessageAttributes does not support nested filter policy"
        let alone = TestCall.error {
            _ = try SubscriptionSettings(["FilterPolicy": nested], target: Self.url, limits: .sns)
        }
        #expect(alone?.message == "Invalid parameter: Attributes Reason: \(sentence)")
        let back = TestCall.error {
            _ = try Self.setting([
                ("FilterPolicyScope", "MessageBody"), ("FilterPolicy", nested),
                ("FilterPolicyScope", "MessageAttributes"),
            ])
        }
        #expect(back?.message == "Invalid parameter: \(sentence)")
        #expect(try Self.described(Self.setting([("FilterPolicyScope", "MessageBody")]))["FilterPolicyScope"] == nil)
    }

    @Test(
        "values that are none are refused in SNS' words",
        arguments: [
            (
                "FilterPolicyScope", "Body",
                "FilterPolicyScope: Invalid value [Body]. Please use either MessageBody or MessageAttributes"
            ), ("RawMessageDelivery", "yes", "RawMessageDelivery: Invalid value [yes]. Must be true or false."),
            ("RawMessageDelivery", "", "RawMessageDelivery: Invalid value []. Must be true or false."),
            ("RedrivePolicy", "x", "RedrivePolicy: failed to parse JSON."),
            ("RedrivePolicy", "{}", "RedrivePolicy: deadLetterTargetArn is an invalid arn"),
        ]
    )
    func refused(name: String, value: String, text: String) {
        let error = TestCall.error { _ = try Self.setting([(name, value)]) }
        #expect(error?.message == "Invalid parameter: \(text)")
        let inMap = TestCall.error { _ = try SubscriptionSettings([name: value], target: Self.url, limits: .sns) }
        #expect(inMap?.message == "Invalid parameter: Attributes Reason: \(text)")
    }

    @Test("unknown names are refused")
    func unknown() {
        #expect(TestCall.error { _ = try Self.setting([("Foo", "x")]) }?.message == "Invalid parameter: AttributeName")
    }

    @Test("devices take no raw messages, URLs do")
    func raw() throws {
        let device = try #require(Self.device)
        let text = "Invalid parameter: Delivery protocol [application] does not support raw message delivery."
        let error = TestCall.error { _ = try Self.setting([("RawMessageDelivery", "true")], target: device) }
        #expect(error?.message == text)
        _ = try Self.setting([("RawMessageDelivery", "false")], target: device)
        #expect(try Self.setting([("RawMessageDelivery", "TRUE")]).isRaw)
    }

    @Test("a subscription is described with the policy that counts for it")
    func effective() throws {
        let own =
            #"{"healthyRetryPolicy":{"minDelayTarget":1,"maxDelayTarget":60,"numRetries":5},"requestPolicy":{"headerContentType":"application/json"}}"#
        let values = try Self.described(Self.setting([("DeliveryPolicy", own)]))
        #expect(values["DeliveryPolicy"] == own)
        #expect(
            values["EffectiveDeliveryPolicy"]
                == #"{"healthyRetryPolicy":{"minDelayTarget":1,"maxDelayTarget":60,"numRetries":5,"numMaxDelayRetries":0,"numNoDelayRetries":0,"numMinDelayRetries":0,"backoffFunction":"linear"},"sicklyRetryPolicy":null,"throttlePolicy":null,"requestPolicy":{"headerContentType":"application/json"},"guaranteed":false}"#
        )
        let limited = try Self.described(
            Self.setting([("DeliveryPolicy", #"{"throttlePolicy":{"maxReceivesPerSecond":1000}}"#)])
        )
        let rate = #""throttlePolicy":{"maxReceivesPerSecond":1000},"requestPolicy""#
        #expect(limited["EffectiveDeliveryPolicy"]?.contains(rate) == true)
        #expect(values["PendingConfirmation"] == "false")
        #expect(values["ConfirmationWasAuthenticated"] == "true")
        #expect(values["RawMessageDelivery"] == "false")
    }

    @Test("a subscription may be made once more with what it has")
    func agreement() throws {
        let stored = try Self.setting([("RawMessageDelivery", "true")])
        try stored.checkAgreement(with: SubscriptionSettings())
        let error = TestCall.error { try stored.checkAgreement(with: Self.setting([("RawMessageDelivery", "false")])) }
        #expect(
            error?.message
                == "Invalid parameter: Attributes Reason: Subscription already exists with different attributes"
        )
        // What is shown of one for which nobody has said it may be said.
        let plain = try Self.setting([("FilterPolicy", #"{"kind":["a"]}"#)])
        try plain.checkAgreement(with: Self.setting([("RawMessageDelivery", "false")]))
        #expect(TestCall.error { try plain.checkAgreement(with: stored) } == error)
        for known in [stored, plain] {
            try known.checkAgreement(with: Self.setting([("FilterPolicyScope", "MessageAttributes")]))
            let body = try Self.setting([("FilterPolicyScope", "MessageBody")])
            #expect(TestCall.error { try known.checkAgreement(with: body) } == error)
        }
    }
}
