// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import PushAPI
import PushModel
import PushStore
import Testing
import Topics

@Suite("The public URL of the SNS endpoint", .timeLimit(.minutes(20)))
struct SNSPublicURLTests {
    private static let url = "https://hooks.example.com/sns"

    /// Subscribes a URL by a request with this `Host`, over a socket.
    ///
    /// - Returns: the response, and the server that messages to the subscriber name.
    private static func subscribe(
        host: String,
        publicURL: String? = nil
    ) async throws -> (status: Int, message: String, server: String?) {
        var setup = TestSetup()
        setup.hasSocket = true
        setup.configuration.sns.publicURL = publicURL
        let (results, result) = AsyncStream.makeStream(of: (status: Int, message: String, server: String?).self)
        try await withAPI(setup) { api async throws in
            var client = try await SNSClient(api)
            client.host = host
            let topic = try #require(try await client.call("CreateTopic", ["Name": "news"])["TopicArn"])
            let answer = try await client.call(
                "Subscribe",
                ["TopicArn": topic, "Protocol": "https", "Endpoint": Self.url]
            )
            let name = try #require(TopicName(rawValue: "news"))
            let subscription = try await api.store.subscription(of: .url(Self.url), to: name)
            let server = subscription.flatMap { HTTPSubscription($0)?.server }
            result.yield((answer.status, answer.message ?? "", server))
        }
        return try await results.nextElement()
    }

    @Test(
        "is never the Host of a caller elsewhere: the subscription is refused with the key that names it",
        arguments: ["attacker.example.com", "attacker.example.com:8080", "10.0.0.7", "localhost.example.com"]
    )
    func foreignHost(host: String) async throws {
        let refused = try await Self.subscribe(host: host)
        #expect(refused.status == 400)
        #expect(refused.message.contains("sns.url"))
        #expect(refused.server == nil)
        let configured = try await Self.subscribe(host: host, publicURL: "https://push.example.com/")
        #expect(configured.status == 200)
        #expect(configured.server == "https://push.example.com/")
    }

    @Test(
        "is that of the request for a caller on this machine",
        arguments: ["localhost:8080", "127.0.0.1:1", "[::1]:1"]
    )
    func loopbackHost(host: String) async throws {
        let answer = try await Self.subscribe(host: host)
        #expect(answer.status == 200)
        #expect(answer.server == "http://\(host)/")
    }
}
