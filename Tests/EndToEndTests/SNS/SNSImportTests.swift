// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Foundation
import PushModel
import Testing

@testable import apus

@Suite("What is copied from SNS", .timeLimit(.minutes(5)))
struct SNSImportTests {
    private static let access = ["AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret"]

    /// Makes the application that SNS does not tell the credential of.
    private static func createApplication(_ stage: SNSStage) async throws {
        let key = stage.simulator.endpoints
        let attributes: [String: String] = [
            "PlatformCredential": try String(contentsOfFile: key.keyPath ?? "", encoding: .utf8),
            "PlatformPrincipal": key.keyID, "ApplePlatformTeamID": key.teamID, "ApplePlatformBundleID": SNSStage.app,
        ]
        let json = String(decoding: try JSONSerialization.data(withJSONObject: attributes), as: UTF8.self)
        try await stage.aws(
            "sns",
            "create-platform-application",
            "--name",
            "watchme",
            "--platform",
            "APNS",
            "--attributes",
            json
        )
    }

    /// Copies into the store of a running server.
    private static func copy(
        from url: String,
        _ access: [String: String],
        into stage: SNSStage,
        _ more: String...
    ) async throws -> SNSImport.Report {
        let run = try await CommandRun(
            [
                "import", "sns", "--data", "\(stage.directory)/data", "--endpoint-url", url, "--region",
                SNSStage.region, "--json",
            ] + more,
            environment: access,
            in: stage.directory
        )
        #expect(run.status == 0, "\(run.errors) \(run.lines)")
        return try run.lastLine()
    }

    @Test("moto's endpoints keep their ARNs and what they say, and get what is published to their topics")
    func moto() async throws {
        try await SNSStage.with { stage in
            let phone = try await stage.phone()
            let script = "Tests/EndToEndTests/PythonClients/Scripts/sns_moto.py"
            let moto = try await PythonEnvironment.start(
                [PythonEnvironment.file(script)],
                environment: Self.access.merging([
                    "TOKEN": phone.token, "AWS_DEFAULT_REGION": SNSStage.region, "AWS_EC2_METADATA_DISABLED": "true",
                    "HOME": stage.directory,
                ]) { $1 },
                in: stage.directory
            )
            let url = "http://127.0.0.1:\(try #require(await moto.nextLine(), "\(moto.logEnd)"))"
            try await Self.createApplication(stage)

            let dry = try await Self.copy(from: url, Self.access, into: stage, "--dry-run")
            #expect(dry.endpoints == 232)
            let none = try await stage.aws("sns", "list-topics")
            #expect((none["Topics"] as? [Any])?.isEmpty == true)

            let report = try await Self.copy(from: url, Self.access, into: stage)
            #expect(report.applications == 1)
            #expect(report.endpoints == 232)
            #expect(report.topics == 1)
            #expect(report.subscriptions == 2)
            #expect(report.notes.contains { $0.contains("app/APNS/elsewhere: create the application here first") })
            #expect(report.notes.contains { $0.contains("app/GCM/others: only applications for Apple's devices") })
            #expect(report.notes.contains { $0.contains("orders.fifo: FIFO topics are not supported") })
            #expect(report.notes.contains { $0.contains("subscriptions of the kind 'sms' are not copied") })

            let listed = try await stage.aws(
                "sns",
                "list-endpoints-by-platform-application",
                "--platform-application-arn",
                "arn:aws:sns:\(SNSStage.region):\(SNSStage.account):app/APNS/watchme"
            )
            let endpoints = try #require(listed["Endpoints"] as? [[String: Any]])
            #expect(endpoints.count == 232)
            let attributes = endpoints.compactMap { $0["Attributes"] as? [String: String] }
            let own = try #require(attributes.first { $0["Token"] == phone.token })
            #expect(own == ["CustomUserData": "user 7 <&>", "Enabled": "true", "Token": phone.token])
            #expect(attributes.filter { $0["Enabled"] == "false" }.count == 1)

            try await stage.aws(
                "sns",
                "publish",
                "--topic-arn",
                "arn:aws:sns:\(SNSStage.region):\(SNSStage.account):news",
                "--message",
                "Hello",
                "--message-attributes",
                #"{"kind":{"DataType":"String","StringValue":"news"}}"#
            )
            #expect(try await stage.inbox(of: phone.id, count: 1).count == 1)

            // Once more: nothing is there twice.
            let again = try await Self.copy(from: url, Self.access, into: stage)
            #expect(again.endpoints == 232)
            let topic = try await stage.aws(
                "sns",
                "get-topic-attributes",
                "--topic-arn",
                "arn:aws:sns:\(SNSStage.region):\(SNSStage.account):news"
            )
            let described = try #require(topic["Attributes"] as? [String: String])
            #expect(described["SubscriptionsConfirmed"] == "2")
            #expect(described["DisplayName"] == "寿司")
            #expect(await moto.stop() == 0, "\(moto.logEnd)")
        }
    }

    @Test("another server of ours is a source as well")
    func own() async throws {
        try await SNSStage.with { source in
            try await SNSStage.with { stage in
                for each in [source, stage] { try await Self.createApplication(each) }
                let application = "arn:aws:sns:\(SNSStage.region):\(SNSStage.account):app/APNS/watchme"
                let made = try await source.aws(
                    "sns",
                    "create-platform-endpoint",
                    "--platform-application-arn",
                    application,
                    "--token",
                    String(repeating: "ab", count: 32),
                    "--custom-user-data",
                    "user 7"
                )
                let arn = try #require(made["EndpointArn"] as? String)
                let access = source.environment.filter { $0.key.hasPrefix("AWS_") }
                let report = try await Self.copy(from: source.url, access, into: stage)
                #expect(report == SNSImport.Report(applications: 1, endpoints: 1))
                let copied = try await stage.aws("sns", "get-endpoint-attributes", "--endpoint-arn", arn)
                #expect((copied["Attributes"] as? [String: String])?["CustomUserData"] == "user 7")
            }
        }
    }

    @Test("a source that is too busy says so with 400 as well")
    func busy() {
        for code in ["Throttling", "ThrottlingException", "ThrottledException", "Throttled", "RequestLimitExceeded"] {
            let text = "<ErrorResponse><Error><Code>\(code)</Code></Error></ErrorResponse>"
            #expect(SNSSource.isBusy(400, text))
            #expect(!SNSSource.isBusy(200, text))
        }
        #expect(!SNSSource.isBusy(400, "<ErrorResponse><Error><Code>InvalidParameter</Code></Error></ErrorResponse>"))
        #expect(!SNSSource.isBusy(400, "none"))
        #expect(SNSSource.isBusy(429, ""))
        #expect(SNSSource.isBusy(503, ""))
    }

    @Test("endpoints of a server of ours keep ids that ARNs have no letters for")
    func installations() {
        let arn = "arn:aws:sns:\(SNSStage.region):\(SNSStage.account):endpoint/APNS/watchme/"
        #expect(SNSImport.installation(ofEndpoint: arn + "x--QW5uYSdzIHBob25l")?.rawValue == "Anna's phone")
        #expect(SNSImport.installation(ofEndpoint: arn + "phone-7")?.rawValue == "phone-7")
        #expect(SNSImport.installation(ofEndpoint: arn + "x--%")?.rawValue == nil)
    }

    @Test("a source that refuses is told, with its own words")
    func refused() async throws {
        try await SNSStage.with { stage in
            let run = try await CommandRun(
                [
                    "import", "sns", "--data", "\(stage.directory)/data", "--endpoint-url", stage.url, "--region",
                    SNSStage.region, "--json",
                ],
                environment: Self.access,
                in: stage.directory
            )
            #expect(run.status == 1)
            #expect(run.failure?.code == "sns_refused")
            #expect(run.failure?.message.contains("InvalidClientTokenId") == true)
        }
    }
}
