// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import Testing

@Suite("Policies of API keys")
struct KeyPolicyTests {
    private static func policy(_ text: String) throws -> KeyPolicy {
        try KeyPolicy(json: JSONValue(json: Array(text.utf8)))
    }

    /// A policy of one statement.
    private static func allow(_ action: String, _ resource: String) throws -> KeyPolicy {
        try self.policy(#"{"Statement":{"Effect":"Allow","Action":"\#(action)","Resource":"\#(resource)"}}"#)
    }

    private static func topic(_ name: String, region: String? = "ap-northeast-1") -> KeyPolicy.Resource {
        KeyPolicy.Resource(
            partition: region == nil ? nil : "aws",
            region: region,
            account: "123456789012",
            name: name
        )
    }

    @Test("a policy of a worker allows one action on one topic, in one region")
    func worker() throws {
        let policy = try Self.policy(
            """
            {
              "Version": "2012-10-17",
              "Statement": [
                {
                  "Effect": "Allow",
                  "Action": [
                    "sns:Publish"
                  ],
                  "Resource": "arn:aws:sns:ap-northeast-1:*:watchme-dashboard-updates"
                }
              ]
            }
            """
        )
        let name = "watchme-dashboard-updates"
        #expect(policy.decision(on: "Publish", of: Self.topic(name)) == .allowed)
        #expect(policy.decision(on: "Publish", of: Self.topic(name, region: nil)) == .allowed)
        #expect(policy.decision(on: "Publish", of: Self.topic(name, region: "eu-west-1")) == .notAllowed)
        #expect(policy.decision(on: "Publish", of: Self.topic("\(name)-2")) == .notAllowed)
        #expect(policy.decision(on: "DeleteTopic", of: Self.topic(name)) == .notAllowed)
        #expect(policy.decision(on: "ListTopics", of: Self.topic("*")) == .notAllowed)
    }

    @Test(
        "wildcards stand for any text and any character, and actions have no case",
        arguments: [
            ("sns:*", "*", true), ("*", "*", true), ("SNS:publish", "*", true), ("sns:Pub*", "*", true),
            ("sns:Publis?", "*", true), ("sns:Publish?", "*", false), ("s3:*", "*", false),
            ("sns:Publish", "arn:aws:sns:*:*:new?", true), ("sns:Publish", "arn:aws:sns:*:*:n*s", true),
            ("sns:Publish", "arn:aws:sns:*:*:N*", false), ("sns:Publish", "arn:aws:sns:*:123456789012:*", true),
            ("sns:Publish", "arn:aws:sns:*", true), ("sns:Publish", "arn:aws:sqs:*", false),
            ("sns:Publish", "arn:aws:sns:*:news", false), ("sns:Publish", "arn:*:sns:??-northeast-1:*:*w*", true),
            ("sns:Publish", "arn:aws-cn:sns:*:*:*", false),
        ]
    )
    func wildcards(action: String, resource: String, isAllowed: Bool) throws {
        let policy = try Self.allow(action, resource)
        #expect((policy.decision(on: "Publish", of: Self.topic("news")) == .allowed) == isAllowed)
    }

    @Test("a denial prevails over all that is allowed, and one for a region holds in every region")
    func denial() throws {
        let policy = try Self.policy(
            """
            {"Statement":[
                {"Sid":"all","Effect":"Allow","Action":"sns:*","Resource":["*"]},
                {"Effect":"Deny","Action":["sns:Publish","sns:DeleteTopic"],"Resource":"arn:aws:sns:eu-west-1:*:secret"}
            ]}
            """
        )
        #expect(policy.decision(on: "Publish", of: Self.topic("secret", region: "eu-west-1")) == .denied)
        #expect(policy.decision(on: "Publish", of: Self.topic("secret", region: nil)) == .denied)
        #expect(policy.decision(on: "Publish", of: Self.topic("secret")) == .denied)
        #expect(policy.decision(on: "Publish", of: Self.topic("news")) == .allowed)
        #expect(policy.decision(on: "Subscribe", of: Self.topic("secret", region: "eu-west-1")) == .allowed)
    }

    @Test(
        "what is not supported or malformed is refused by its name",
        arguments: [
            ("[]", "policy"), ("{}", "Statement"), (#"{"Statement":[]}"#, "Statement"),
            (#"{"Version":"2020-01-01","Statement":[]}"#, "Version"), (#"{"Statement":[1]}"#, "Statement[0]"),
            (#"{"Rules":[]}"#, "Rules"),
            (#"{"Statement":{"Effect":"Allow","NotAction":"sns:*","Resource":"*"}}"#, "Statement.NotAction"),
            (#"{"Statement":[{"Effect":"Allow","Action":"*","NotResource":"*"}]}"#, "Statement[0].NotResource"),
            (
                #"{"Statement":[{"Effect":"Allow","Action":"*","Resource":"*","Condition":{}}]}"#,
                "Statement[0].Condition"
            ),
            (#"{"Statement":{"Effect":"Allow","Principal":"*","Action":"*","Resource":"*"}}"#, "Statement.Principal"),
            (#"{"Statement":{"Effect":"allow","Action":"*","Resource":"*"}}"#, "Statement.Effect"),
            (#"{"Statement":{"Action":"*","Resource":"*"}}"#, "Statement.Effect"),
            (#"{"Statement":{"Effect":"Allow","Resource":"*"}}"#, "Statement.Action"),
            (#"{"Statement":{"Effect":"Allow","Action":"Publish","Resource":"*"}}"#, "Statement.Action"),
            (#"{"Statement":{"Effect":"Allow","Action":[],"Resource":"*"}}"#, "Statement.Action"),
            (#"{"Statement":{"Effect":"Allow","Action":"*","Resource":"news"}}"#, "Statement.Resource"),
            (#"{"Statement":{"Effect":"Allow","Action":"*","Resource":[""]}}"#, "Statement.Resource"),
        ]
    )
    func refused(text: String, field: String) throws {
        let error = #expect(throws: InvalidValueError.self) { _ = try Self.policy(text) }
        #expect(error?.field == field)
    }

    @Test("a policy has a limited size, and a hostile pattern takes no time")
    func bounds() throws {
        let long = String(repeating: "x", count: KeyPolicy.maximumBytes)
        #expect(throws: InvalidValueError.self) { _ = try Self.allow("sns:\(long)", "*") }
        let stars = String(repeating: "*a", count: 2000)
        let policy = try Self.allow("sns:Publish", "arn:aws:sns:*:*:\(stars)")
        let name = String(repeating: "a", count: 255) + "b"
        #expect(policy.decision(on: "Publish", of: Self.topic(name)) == .notAllowed)
    }
}
