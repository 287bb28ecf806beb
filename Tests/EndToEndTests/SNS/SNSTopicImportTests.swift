// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import SNSProtocol
import Testing

@testable import apus

@Suite("Topics that are copied from SNS", .timeLimit(.minutes(20)))
struct SNSTopicImportTests {
    private static let place = "arn:aws:sns:\(SNSStage.region):\(SNSStage.account):"

    /// What a program says each time that it makes the topic.
    private static let topicAttributes = [
        "DisplayName": "News", "KmsMasterKeyId": "alias/aws/sns", "TracingConfig": "Active",
        "Policy": #"{"Version":"2012-10-17","Statement":[]}"#,
        "ApplicationFailureFeedbackRoleArn": "arn:aws:iam::123456789012:role/log",
    ]

    /// What a program says each time that it subscribes an endpoint.
    private static let subscriptionAttributes = [
        "FilterPolicy": #"{"kind": ["news"]}"#, "RawMessageDelivery": "false",
        "RedrivePolicy": #"{"deadLetterTargetArn": "arn:aws:sqs:ap-northeast-1:123456789012:dead"}"#,
    ]

    private static func json(_ values: [String: String]) throws -> String {
        String(decoding: try JSONEncoder().encode(values), as: UTF8.self)
    }

    private static func createTopic(_ stage: SNSStage) async throws -> String {
        let attributes = try Self.json(Self.topicAttributes)
        let made = try await stage.aws("sns", "create-topic", "--name", "news", "--attributes", attributes)
        return try #require(made["TopicArn"] as? String)
    }

    private static func subscribe(_ endpoint: String, _ stage: SNSStage) async throws -> String {
        let made = try await stage.aws([
            "sns", "subscribe", "--topic-arn", "\(Self.place)news", "--protocol", "application",
            "--notification-endpoint", endpoint, "--attributes", try Self.json(Self.subscriptionAttributes),
        ])
        return try #require(made["SubscriptionArn"] as? String)
    }

    private static func setApplication(_ stage: SNSStage) async throws {
        try await stage.aws([
            "sns", "set-platform-application-attributes", "--platform-application-arn",
            "\(Self.place)app/APNS/watchme", "--attributes",
            "EventDeliveryFailure=\(Self.place)news,Enabled=false",
        ])
    }

    @Test("are found by programs that make them as ever, and come back at once when they were deleted here")
    func agreement() async throws {
        try await SNSStage.with { source in
            try await SNSStage.with { stage in
                for each in [source, stage] { try await SNSImportTests.createApplication(each) }
                let topic = try await Self.createTopic(source)
                let application = "\(Self.place)app/APNS/watchme"
                let endpoint = try await source.aws([
                    "sns", "create-platform-endpoint", "--platform-application-arn", application, "--token",
                    String(repeating: "ab", count: 32),
                ])
                let arn = try #require(endpoint["EndpointArn"] as? String)
                let subscription = try await Self.subscribe(arn, source)
                try await Self.setApplication(source)

                let access = source.environment.filter { $0.key.hasPrefix("AWS_") }
                let first = try await SNSImportTests.copy(from: source.url, access, into: stage)
                var whole = SNSImport.Report(applications: 1, endpoints: 1, topics: 1, subscriptions: 1)
                whole.notes = [
                    "\(application): its EventDeliveryFailure is \(topic) at the source;"
                        + " set it here, once the topic is here",
                    "\(application): it is disabled at the source, and enabled here",
                ]
                #expect(first == whole)
                #expect(try await Self.createTopic(stage) == topic)
                #expect(try await Self.subscribe(arn, stage) == subscription)

                // Now that the topic is here, so can its events be; then there is nothing left to tell.
                try await Self.setApplication(stage)
                whole.notes = []
                #expect(try await SNSImportTests.copy(from: source.url, access, into: stage) == whole)

                try await stage.aws("sns", "delete-topic", "--topic-arn", topic)
                #expect(try await SNSImportTests.copy(from: source.url, access, into: stage) == whole)
                #expect(try await Self.createTopic(stage) == topic)
                #expect(try await Self.subscribe(arn, stage) == subscription)
            }
        }
    }

    @Test("are left out, and all else is copied, where a list may not be read")
    func deniedLists() async throws {
        try await SNSStage.with { stage in
            for name in ["watchme", "secret"] { try await SNSImportTests.createApplication(stage, name) }
            let lists = [
                "ListTopics": "the list of topics", "ListPlatformApplications": "the list of platform applications",
            ]
            for (action, name) in lists.sorted(by: { $0.key > $1.key }) {
                let source = try await Self.unsteady([action], stage)
                let report = try await SNSImportTests.copy(from: source.url, SNSImportTests.access, into: stage)
                #expect(report.topics == (action == "ListTopics" ? 0 : 1))
                #expect(report.endpoints == (action == "ListTopics" ? 1 : 0))
                let note =
                    "\(name): the source does not allow to read it"
                    + " (AuthorizationError: not authorized to perform: SNS:\(action))"
                #expect(report.notes.contains(note), "\(report.notes)")
                #expect(await source.process.stop() == 0, "\(source.process.logEnd)")
            }
            let source = try await Self.unsteady(Array(lists.keys), stage)
            let run = try await CommandRun(
                [
                    "import", "sns", "--data", "\(stage.directory)/data", "--endpoint-url", source.url, "--region",
                    SNSStage.region, "--json",
                ],
                environment: SNSImportTests.access,
                in: stage.directory
            )
            #expect(run.status == 1)
            #expect(run.failure?.code == "sns_refused")
            #expect(run.failure?.message.contains("allows to read nothing") == true)
            #expect(await source.process.stop() == 0, "\(source.process.logEnd)")
        }
    }

    /// Starts a source that refuses some operations.
    private static func unsteady(
        _ refused: [String],
        _ stage: SNSStage
    ) async throws -> (url: String, process: ChildProcess) {
        let script = PythonEnvironment.file("Tests/EndToEndTests/PythonClients/Scripts/sns_unsteady.py")
        let process = try await PythonEnvironment.start([script] + refused, in: stage.directory)
        let port = try #require(await process.nextLine(), "\(process.logEnd)")
        return ("http://127.0.0.1:\(port)", process)
    }

    @Test(
        "are asked for under the name that the client sends",
        arguments: [
            ("https://sns.eu-west-1.amazonaws.com", "sns.eu-west-1.amazonaws.com"), ("http://push:80", "push"),
            ("https://push:443/sns", "push"), ("http://push:443", "push:443"), ("https://push:80", "push:80"),
            ("http://127.0.0.1:8080", "127.0.0.1:8080"),
        ]
    )
    func host(url: String, host: String) throws {
        let credential = SigningCredential(accessKeyID: "AKIAIOSFODNN7EXAMPLE", secret: "secret")
        #expect(try SNSSourceClient(url: url, region: SNSStage.region, credential: credential).host == host)
    }
}
