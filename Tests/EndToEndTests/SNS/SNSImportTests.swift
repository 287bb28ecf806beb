// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Foundation
import PushModel
import Testing

@testable import CommandLineSupport
@testable import apus

@Suite("What is copied from SNS", .timeLimit(.minutes(20)))
struct SNSImportTests {
    static let access = ["AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret"]

    /// Makes the application that SNS does not tell the credential of.
    static func createApplication(_ stage: SNSStage, _ name: String = "watchme") async throws {
        // As the guide has it; a shell takes the last line break away.
        let key = stage.simulator.endpoints
        let pem = try String(contentsOfFile: key.keyPath ?? "", encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        let attributes =
            "PlatformCredential=\(pem),PlatformPrincipal=\(key.keyID),ApplePlatformTeamID=\(key.teamID)"
            + ",ApplePlatformBundleID=\(SNSStage.app)"
        try await stage.aws(
            "sns",
            "create-platform-application",
            "--name",
            name,
            "--platform",
            "APNS",
            "--attributes",
            attributes
        )
    }

    /// Copies into the store of a running server.
    static func copy(
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

    @Test("what was changed or given up here stays when it is copied again, and the rest follows the source")
    func repeated() async throws {
        try await SNSStage.with { source in
            try await SNSStage.with { stage in
                for each in [source, stage] { try await Self.createApplication(each) }
                let phone = try await stage.phone()
                let place = "arn:aws:sns:\(SNSStage.region):\(SNSStage.account):"
                let topic = "\(place)news"
                try await source.aws("sns", "create-topic", "--name", "news", "--attributes", "DisplayName=News")
                let tokens = ["11", "22", "33", "44"].map { String(repeating: $0, count: 32) } + [phone.token]
                var endpoints: [String] = []
                var subscriptions: [String] = []
                for token in tokens {
                    let application = ["--platform-application-arn", "\(place)app/APNS/watchme", "--token", token]
                    let made = try await source.aws(["sns", "create-platform-endpoint"] + application)
                    let arn = try #require(made["EndpointArn"] as? String)
                    endpoints.append(arn)
                    let subscribed = try await source.aws([
                        "sns", "subscribe", "--topic-arn", topic, "--protocol", "application",
                        "--notification-endpoint", arn, "--attributes", #"{"FilterPolicy":"{\"kind\":[\"a\"]}"}"#,
                    ])
                    subscriptions.append(try #require(subscribed["SubscriptionArn"] as? String))
                }
                let access = source.environment.filter { $0.key.hasPrefix("AWS_") }
                let first = try await Self.copy(from: source.url, access, into: stage)
                #expect(first == SNSImport.Report(applications: 1, endpoints: 5, topics: 1, subscriptions: 5))

                // Here: one opts out, one wants something else, and Apple gives one up.
                let off = ["sns", "set-endpoint-attributes", "--endpoint-arn", endpoints[0], "--attributes"]
                try await stage.aws(off + ["Enabled=false"])
                func filter(_ stage: SNSStage, _ index: Int, _ policy: String) async throws {
                    try await stage.aws([
                        "sns", "set-subscription-attributes", "--subscription-arn", subscriptions[index],
                        "--attribute-name", "FilterPolicy", "--attribute-value", policy,
                    ])
                }
                try await filter(stage, 1, #"{"kind":["mine"]}"#)
                _ = try await stage.simulator.call(.delete, "/v1/devices/\(phone.id)/apps/\(SNSStage.app)")
                try await stage.aws(["sns", "publish", "--target-arn", endpoints[4], "--message", "x"])
                func attributes(_ index: Int) async throws -> [String: String] {
                    let arguments = ["sns", "get-endpoint-attributes", "--endpoint-arn", endpoints[index]]
                    let answer = try await stage.aws(arguments)
                    return try #require(answer["Attributes"] as? [String: String])
                }
                while try await attributes(4)["Enabled"] == "true" {}

                // There: one gets data and another filter, one is deleted, and the topic another name.
                let data = ["sns", "set-endpoint-attributes", "--endpoint-arn", endpoints[2], "--attributes"]
                try await source.aws(data + ["CustomUserData=new"])
                try await filter(source, 2, #"{"kind":["b"]}"#)
                try await filter(source, 1, #"{"kind":["b"]}"#)
                try await source.aws([
                    "sns", "set-subscription-attributes", "--subscription-arn", subscriptions[2], "--attribute-name",
                    "RedrivePolicy", "--attribute-value", #"{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:1:dead"}"#,
                ])
                try await source.aws(["sns", "delete-endpoint", "--endpoint-arn", endpoints[3]])
                try await source.aws(["sns", "unsubscribe", "--subscription-arn", subscriptions[3]])
                try await source.aws([
                    "sns", "set-topic-attributes", "--topic-arn", topic, "--attribute-name", "DisplayName",
                    "--attribute-value", "Other",
                ])
                for _ in 0..<2 {
                    let again = try await Self.copy(from: source.url, access, into: stage)
                    #expect(again.endpoints == 2)
                    #expect(again.changedEndpoints == 2)
                    #expect(again.goneEndpoints == 1)
                    #expect(again.subscriptions == 3)
                    #expect(again.changedSubscriptions == 1)
                    #expect(again.goneSubscriptions == 1)
                    #expect(again.differingSubscriptions == 1)
                    let id = subscriptions[2].split(separator: ":").last ?? ""
                    let other = "news: the subscription \(id) is here already, with other RedrivePolicy, which stay"
                    #expect(again.notes.contains(other), "\(again.notes)")
                    let note = "\(topic): the topic is here already, with other DisplayName, which stay"
                    #expect(again.notes.contains(note), "\(again.notes)")
                }
                #expect(try await attributes(0)["Enabled"] == "false")
                #expect(try await attributes(2)["CustomUserData"] == "new")
                #expect(try await attributes(4)["Enabled"] == "false")
                for (index, policy) in [(1, #"{"kind":["mine"]}"#), (2, #"{"kind":["b"]}"#)] {
                    let arguments = ["sns", "get-subscription-attributes", "--subscription-arn", subscriptions[index]]
                    let shown = try await stage.aws(arguments)["Attributes"] as? [String: String]
                    #expect(shown?["FilterPolicy"] == policy)
                    #expect(shown?["RedrivePolicy"] == nil)
                }
            }
        }
    }

    @Test("the import survives a lost connection and reports resources it may not read")
    func unsteady() async throws {
        try await SNSStage.with { stage in
            for name in ["watchme", "secret"] { try await Self.createApplication(stage, name) }
            let script = "Tests/EndToEndTests/PythonClients/Scripts/sns_unsteady.py"
            let source = try await PythonEnvironment.start([PythonEnvironment.file(script)], in: stage.directory)
            let port = try #require(await source.nextLine(), "\(source.logEnd)")
            let report = try await Self.copy(from: "http://127.0.0.1:\(port)", Self.access, into: stage)
            #expect(report.applications == 2)
            #expect(report.endpoints == 1)
            #expect(report.topics == 1)
            #expect(report.subscriptions == 0)
            let place = "arn:aws:sns:\(SNSStage.region):\(SNSStage.account):"
            let denied = [
                ("app/APNS/secret", "ListEndpointsByPlatformApplication"),
                ("open:0a21d249-4329-4871-acc6-7be709c6ea7f", "GetSubscriptionAttributes"),
                ("closed", "GetTopicAttributes"),
            ]
            #expect(
                report.notes
                    == denied.map { name, action in
                        "\(place)\(name): the source does not allow to read it"
                            + " (AuthorizationError: not authorized to perform: SNS:\(action))"
                    }
            )
            #expect(await source.stop() == 0, "\(source.logEnd)")
        }
    }

    @Test("a source that is too busy says so with 400 as well")
    func busy() {
        for code in ["Throttling", "ThrottlingException", "ThrottledException", "Throttled", "RequestLimitExceeded"] {
            let text = "<ErrorResponse><Error><Code>\(code)</Code></Error></ErrorResponse>"
            #expect(SNSSourceClient.isBusy(400, text))
            #expect(!SNSSourceClient.isBusy(200, text))
        }
        #expect(
            !SNSSourceClient.isBusy(400, "<ErrorResponse><Error><Code>InvalidParameter</Code></Error></ErrorResponse>")
        )
        #expect(!SNSSourceClient.isBusy(400, "none"))
        #expect(SNSSourceClient.isBusy(429, ""))
        #expect(SNSSourceClient.isBusy(503, ""))
    }

    @Test("endpoints of a server of ours keep ids that ARNs have no letters for, in one spelling each")
    func installations() {
        let arn = "arn:aws:sns:\(SNSStage.region):\(SNSStage.account):endpoint/APNS/watchme/"
        #expect(SNSImport.installation(ofEndpoint: arn + "x--QW5uYSdzIHBob25l")?.rawValue == "Anna's phone")
        #expect(SNSImport.installation(ofEndpoint: arn + "phone-7")?.rawValue == "phone-7")
        #expect(SNSImport.installation(ofEndpoint: arn + "x--%")?.rawValue == nil)
        // "phone-7", which needs no encoding.
        #expect(SNSImport.installation(ofEndpoint: arn + "x--cGhvbmUtNw") == nil)
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
