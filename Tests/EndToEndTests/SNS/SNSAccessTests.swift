// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import Testing

@Suite("What AWS' own clients may do at the SNS endpoint", .timeLimit(.minutes(20)))
struct SNSAccessTests {
    /// The policy of a worker's role at AWS, to the letter.
    private static let policy = """
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

    private static let otherApp = "com.example.other"

    /// Creates an access key.
    private static func key(_ stage: SNSStage, _ arguments: [String]) async throws -> KeyResponse {
        let made = try await CommandRun(
            ["keys", "create", "key", "--access-key", "--data", "\(stage.directory)/data", "--json"] + arguments,
            in: stage.directory
        )
        try #require(made.status == 0, "\(made.errors)")
        return try made.lastLine()
    }

    private static func workerKey(_ stage: SNSStage) async throws -> KeyResponse {
        let path = "\(stage.directory)/policy.json"
        try Data(Self.policy.utf8).write(to: URL(fileURLWithPath: path))
        return try await Self.key(stage, ["--scope", "send", "--policy", path])
    }

    private static func alerts(_ stage: SNSStage, of phone: String, count: Int) async throws -> [String] {
        try await stage.inbox(of: phone, count: count).compactMap { notification in
            let aps = (notification["payload"] as? [String: Any])?["aps"] as? [String: Any]
            return aps?["alert"] as? String
        }
    }

    @Test("boto3: a key with a policy, two tenants, and two applications of one bundle ID")
    func boto3() async throws {
        try await SNSStage.with { stage in
            let phone = try await stage.phone()
            let admin = try await Self.key(stage, ["--scope", "admin"])
            for app in [SNSStage.app, Self.otherApp] {
                let made = try await CommandRun(
                    ["apps", "create", app, "--json"],
                    environment: ["APUS_URL": stage.url, "APUS_API_KEY": admin.key ?? ""],
                    in: stage.directory
                )
                #expect(made.status == 0, "\(made.errors)")
            }
            var environment = [
                "APP": SNSStage.app, "OTHER_APP": Self.otherApp, "TOKEN": phone.token, "ACCOUNT": SNSStage.account,
                "P8": try String(contentsOfFile: stage.simulator.endpoints.keyPath ?? "", encoding: .utf8),
                "KEY_ID": stage.simulator.endpoints.keyID, "TEAM_ID": stage.simulator.endpoints.teamID,
            ]
            for (name, key) in [
                ("WORKER", try await Self.workerKey(stage)),
                ("OWN", try await Self.key(stage, ["--scope", "admin", "--app", SNSStage.app])),
                ("OTHER", try await Self.key(stage, ["--scope", "admin", "--app", Self.otherApp])),
            ] {
                environment["\(name)_KEY"] = key.accessKeyID
                environment["\(name)_SECRET"] = key.secretAccessKey
            }
            let lines = try await stage.python("sns_access.py", environment)
            let expected: [String: Int] = try #require(
                try JSONSerialization.jsonObject(with: Data((lines.last ?? "").utf8)) as? [String: Int]
            )
            let alerts = try await Self.alerts(stage, of: phone.id, count: expected.values.reduce(0, +))
            #expect(alerts.sorted() == expected.keys.sorted())
        }
    }

    @Test(
        "a function with AWS_SESSION_TOKEN in its environment publishes without a change of its code, and so does aws"
    )
    func sessionToken() async throws {
        try await SNSStage.with(arguments: ["--sns-ignore-session-token", "true"]) { stage in
            let phone = try await stage.phone()
            let p12 = try await stage.certificate(password: "")
            let topic = try await stage.aws("sns", "create-topic", "--name", "watchme-dashboard-updates")
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
            let endpoint = try await stage.aws(
                "sns",
                "create-platform-endpoint",
                "--platform-application-arn",
                try #require(application["PlatformApplicationArn"] as? String),
                "--token",
                phone.token
            )
            let arn = try #require(topic["TopicArn"] as? String)
            try await stage.aws(
                "sns",
                "subscribe",
                "--topic-arn",
                arn,
                "--protocol",
                "application",
                "--notification-endpoint",
                try #require(endpoint["EndpointArn"] as? String)
            )
            let worker = try await Self.workerKey(stage)
            let session = [
                "AWS_ACCESS_KEY_ID": worker.accessKeyID ?? "", "AWS_SECRET_ACCESS_KEY": worker.secretAccessKey ?? "",
                "AWS_SESSION_TOKEN": "FwoGZXIvYXdzEJr//////////wEaDEXAMPLE",
            ]
            let lines = try await stage.python(
                "sns_worker.py",
                session.merging(["SNS_TOPIC_ARN": arn, "DEVICE_IDS": "first"]) { $1 }
            )
            #expect(lines.count == 1)
            #expect(lines.first?.hasPrefix("✅ Push notification sent: ") == true, "\(lines)")
            let published = try await stage.aws(
                ["sns", "publish", "--topic-arn", arn, "--message", "from aws"],
                adding: session
            )
            #expect(UUID(uuidString: published["MessageId"] as? String ?? "") != nil)
            #expect(try await stage.inbox(of: phone.id, count: 2).count == 2)
        }
    }

    @Test(
        "a policy that cannot be used is refused with the element that is wrong",
        arguments: [
            (
                #"{"Statement":[{"Effect":"Allow","Action":"sns:*","Resource":"*","Condition":{}}]}"#,
                "Statement[0].Condition"
            ),
            ("{", "is not JSON"),
        ]
    )
    func refused(policy: String, part: String) async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/policy.json"
            try Data(policy.utf8).write(to: URL(fileURLWithPath: path))
            let made = try await CommandRun(
                ["keys", "create", "key", "--scope", "send", "--policy", path, "--data", "\(directory)/data"],
                in: directory
            )
            #expect(made.status != 0)
            #expect(made.errors.contains(part), "\(made.errors)")
        }
    }
}
