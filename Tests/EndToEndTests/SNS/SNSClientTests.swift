// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import Testing

@Suite("AWS' own clients at the SNS endpoint", .timeLimit(.minutes(20)))
struct SNSClientTests {
    @Test("boto3 makes applications of all kinds of credentials, keeps endpoints and reaches a phone through them")
    func boto3() async throws {
        try await SNSStage.with { stage in
            let phone = try await stage.phone()
            let pem = try await stage.simulator.call(.post, "/v1/certificates", ["bundleID": SNSStage.app])
            let lines = try await stage.python(
                "sns_endpoints.py",
                [
                    "APP": SNSStage.app, "TOKEN": phone.token, "ACCOUNT": SNSStage.account,
                    "P12": try await stage.certificate(password: "secret"), "P12_PASSWORD": "secret",
                    "CERTIFICATE": try #require(pem["certificatePEM"] as? String),
                    "PRIVATE_KEY": try #require(pem["privateKeyPEM"] as? String),
                    "P8": try String(contentsOfFile: stage.simulator.endpoints.keyPath ?? "", encoding: .utf8),
                    "KEY_ID": stage.simulator.endpoints.keyID, "TEAM_ID": stage.simulator.endpoints.teamID,
                ]
            )
            let published = try #require(lines.last.flatMap { Int($0) })
            let inbox = try await stage.inbox(of: phone.id, count: published)
            #expect(inbox.count == published)
            let payloads = inbox.compactMap { $0["payload"] as? [String: Any] }
            let alerts = payloads.compactMap { ($0["aps"] as? [String: Any])?["alert"] as? String }
            #expect(Set(alerts) == ["from p12", "from pem", "from p8", "寿司 <&\"'>"])
            let headers = try #require(inbox.last?["headers"] as? [String: String])
            #expect(headers["apns-collapse-id"] == "score")
            #expect(headers["apns-priority"] == "5")
        }
    }

    @Test("the aws command makes an application and an endpoint, and publishes to it")
    func aws() async throws {
        try await SNSStage.with { stage in
            let phone = try await stage.phone()
            let p12 = try await stage.certificate(password: "")
            // As in the customer's own notes: a file alone, no word of the app or of a principal.
            let application = try await stage.aws(
                "sns",
                "create-platform-application",
                "--name",
                "watchme-ios-app",
                "--platform",
                "APNS",
                "--attributes",
                "PlatformCredential=\(p12)"
            )
            let arn = try #require(application["PlatformApplicationArn"] as? String)
            #expect(arn == "arn:aws:sns:ap-northeast-1:123456789012:app/APNS/watchme-ios-app")
            let endpoint = try await stage.aws(
                "sns",
                "create-platform-endpoint",
                "--platform-application-arn",
                arn,
                "--token",
                phone.token
            )
            let target = try #require(endpoint["EndpointArn"] as? String)
            let published = try await stage.aws("sns", "publish", "--target-arn", target, "--message", "Hello")
            #expect(UUID(uuidString: published["MessageId"] as? String ?? "") != nil)
            #expect(try await stage.inbox(of: phone.id, count: 1).count == 1)
        }
    }

    @Test("boto3 makes topics, tags and subscriptions, and the phone gets what passes its filter policy")
    func topics() async throws {
        try await SNSStage.with { stage in
            let phone = try await stage.phone()
            let lines = try await stage.python(
                "sns_topics.py",
                [
                    "APP": SNSStage.app, "TOKEN": phone.token, "ACCOUNT": SNSStage.account,
                    "P8": try String(contentsOfFile: stage.simulator.endpoints.keyPath ?? "", encoding: .utf8),
                    "KEY_ID": stage.simulator.endpoints.keyID, "TEAM_ID": stage.simulator.endpoints.teamID,
                ]
            )
            let received = try #require(lines.last.flatMap { Int($0) })
            let inbox = try await stage.inbox(of: phone.id, count: received)
            let payloads = inbox.compactMap { $0["payload"] as? [String: Any] }
            let alerts = payloads.compactMap { ($0["aps"] as? [String: Any])?["alert"] as? String }
            #expect(
                alerts.sorted() == [
                    "entry 3", "entry 4", "entry 5", "first", #"{"store": {"city": "\u6771\u4eac"}}"#,
                ]
            )
        }
    }

    @Test("boto3 subscribes URLs, which confirm, verify what they are posted, and get it again where they failed")
    func urls() async throws {
        try await SNSStage.with(arguments: ["--webhooks-allow-private-networks", "true"]) { stage in
            let lines = try await stage.python("sns_urls.py", ["ACCOUNT": SNSStage.account])
            #expect(lines.last == "done")
        }
    }

    @Test("a worker moves over by its environment alone: its commands, its code, and the push on the phone")
    func worker() async throws {
        try await SNSStage.with { stage in
            let (first, second) = (try await stage.phone(), try await stage.phone())
            // The team's own commands.
            let topic = try await stage.aws(
                "sns",
                "create-topic",
                "--name",
                "watchme-dashboard-updates",
                "--region",
                "ap-northeast-1"
            )
            let topicARN = try #require(topic["TopicArn"] as? String)
            #expect(topicARN == "arn:aws:sns:ap-northeast-1:123456789012:watchme-dashboard-updates")
            let p12 = try await stage.certificate(password: "")
            let application = try await stage.aws(
                "sns",
                "create-platform-application",
                "--name",
                "watchme-ios-app",
                "--platform",
                "APNS",
                "--attributes",
                "PlatformCredential=\(p12)"
            )
            let applicationARN = try #require(application["PlatformApplicationArn"] as? String)
            // Each phone wants what is about its own device.
            for (name, phone) in [("first", first), ("second", second)] {
                let endpoint = try await stage.aws(
                    "sns",
                    "create-platform-endpoint",
                    "--platform-application-arn",
                    applicationARN,
                    "--token",
                    phone.token
                )
                let subscribed = try await stage.aws(
                    "sns",
                    "subscribe",
                    "--topic-arn",
                    topicARN,
                    "--protocol",
                    "application",
                    "--notification-endpoint",
                    try #require(endpoint["EndpointArn"] as? String),
                    "--attributes",
                    #"{"FilterPolicy":"{\"device_id\":[\"\#(name)\"]}"}"#
                )
                #expect((subscribed["SubscriptionArn"] as? String)?.hasPrefix(topicARN) == true)
            }
            let lines = try await stage.python(
                "sns_worker.py",
                ["SNS_TOPIC_ARN": topicARN, "DEVICE_IDS": "first,nobody,second"]
            )
            #expect(lines.count == 3)
            #expect(lines.allSatisfy { $0.hasPrefix("✅ Push notification sent: ") }, "\(lines)")
            for (name, phone) in [("first", first), ("second", second)] {
                let inbox = try await stage.inbox(of: phone.id, count: 1)
                #expect(inbox.count == 1)
                let payload = try #require(inbox.first?["payload"] as? [String: Any])
                #expect(payload["device_id"] as? String == name)
                #expect(payload["action"] as? String == "refresh_dashboard")
                let aps = try #require(payload["aps"] as? [String: Any])
                #expect(
                    aps["alert"] as? [String: String] == ["title": "データ更新完了", "body": "新しい分析結果が利用可能です"]
                )
                #expect(aps["badge"] as? Int == 1)
            }
        }
    }
}
