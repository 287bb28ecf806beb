// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import NIOHTTP1
import PushModel
import PushStore
import SNSProtocol

/// A worker that publishes through the SNS endpoint of a stage.
struct SNSBenchClient: Sendable {
    private static let region = "eu-central-1"
    private static let account = "000000000000"
    private static let topic = "bench"

    private let bench: BenchmarkEnvironment
    private let source: SNSSourceClient

    /// Creates an access key at the server of a stage.
    ///
    /// - Throws: ``CommandError``, and the errors of the API.
    init(_ bench: BenchmarkEnvironment) async throws {
        struct Draft: Encodable {
            let name = "bench"
            let scopes = ["admin"]
            let accessKey = true
        }
        let key: KeyResponse = try await bench.stage.api.call(.post, "/v1/keys", sending: Draft()).decoded()
        guard let id = key.accessKeyID, let secret = key.secretAccessKey else {
            throw CommandError("bad_run", "The server created no access key.")
        }
        self.bench = bench
        self.source = try SNSSourceClient(
            url: "\(bench.stage.server.url)/",
            region: Self.region,
            credential: SigningCredential(accessKeyID: id, secret: secret, sessionToken: nil)
        )
    }

    /// Subscribes all devices of a population to a topic of its app.
    static func subscribe(_ population: BenchPopulation, in store: any SubscriptionStore & TopicStore) async throws {
        let app = try AppID(validating: population.configuration.app)
        let topic = try TopicName(validating: Self.topic)
        let now = Date()
        _ = try await store.createTopic(topic, attributes: [:], tags: [:], for: app, now: now, checking: nil)
        try await ActivityPopulation.each(population.configuration.count) { number in
            let subscription = Subscription(
                id: SubscriptionID(now: now),
                topic: topic,
                subscriber: .device(app, try population.installation(number)),
                createdAt: now
            )
            let outcome = try await store.subscribe(subscription, policyLimit: 1)
            guard case .created = outcome else {
                throw CommandError("bad_run", "A device was not subscribed: \(outcome).")
            }
        }
    }

    /// Creates the platform application of the endpoints.
    func createApplication() async throws {
        _ = try await self.source.call(
            "CreatePlatformApplication",
            [
                "Name": "bench", "Platform": "APNS_SANDBOX",
                "Attributes.entry.1.key": "PlatformCredential",
                "Attributes.entry.1.value": try InputFile.text("\(self.bench.stage.directory)/simulator/demo-key.p8"),
                "Attributes.entry.2.key": "PlatformPrincipal",
                "Attributes.entry.2.value": self.bench.stage.simulator.keyID,
                "Attributes.entry.3.key": "ApplePlatformTeamID",
                "Attributes.entry.3.value": self.bench.stage.simulator.teamID,
                "Attributes.entry.4.key": "ApplePlatformBundleID",
                "Attributes.entry.4.value": self.bench.app,
            ]
        )
    }

    /// A call that publishes to an endpoint; its items are ``publication(to:)``.
    static let publish = WRK.Call(
        method: "POST",
        path: "/",
        headers: [
            "Authorization": "{1}", "X-Amz-Date": "{2}",
            "Content-Type": "application/x-www-form-urlencoded; charset=utf-8",
        ],
        body: "{3}"
    )

    /// A signed request that publishes a text to the endpoint of a device, as an item of ``publish``.
    func publication(to number: Int) throws -> String {
        let population = self.bench.population
        let id = try population.installation(number % population.configuration.count)
        let (headers, body) = try self.source.signed(
            "Publish",
            ["TargetArn": "\(Self.arn)endpoint/APNS_SANDBOX/bench/\(id)", "Message": "Ride \(number) has begun."]
        )
        let signature = ["authorization", "x-amz-date"].map { headers[$0].joined() }
        return (signature + [String(decoding: body, as: UTF8.self)]).joined(separator: "\t")
    }

    /// Publishes a notification to the topic.
    ///
    /// Returns the id of the campaign that it became.
    func publishToTopic() async throws -> String {
        let message = ["default": "Your ride has begun.", "APNS_SANDBOX": BenchNotification.payload]
        let answer = try await self.source.call(
            "Publish",
            [
                "TopicArn": "\(Self.arn)\(Self.topic)", "MessageStructure": "json",
                "Message": String(decoding: try JSONEncoder().encode(message), as: UTF8.self),
            ]
        )
        guard let id = answer["MessageId"]?.text else { throw CommandError("bad_run", "The message has no id.") }
        return id
    }

    private static var arn: String { "arn:aws:sns:\(self.region):\(self.account):" }
}
