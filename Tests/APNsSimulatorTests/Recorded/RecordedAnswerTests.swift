// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Testing

@testable import APNsSimulator

@Suite("Recorded answers", .timeLimit(.minutes(20)))
struct RecordedAnswerTests {
    /// 2030-01-01 00:00 UTC.
    private static let start: Double = 1_893_456_000

    @Test("One response of each route of the control API is as recorded in answers.json")
    func routes() async throws {
        // The certificates must be valid today. Everything after the handshake happens at the recorded time.
        let today = Date().timeIntervalSince1970.rounded(.down)
        let time = TestSimulatorClock(Date(timeIntervalSince1970: today))
        var configuration = APNsSimulatorConfiguration(
            population: try PopulationConfiguration(count: 10, app: "com.example.crowd"),
            seed: 1,
            clock: time.clock
        )
        configuration.feedHistory = 100
        try await withSilentSimulator(configuration) { simulator in
            let control = ControlClient(simulator)
            // A stream of the wall does not end, and the page is no part of the API.
            let others = ["/", "/wall/{file}", "/v1/wall/stream"]
            let routes = ControlAPI(simulator: simulator).router().routes
                .filter { !others.contains($0.path.description) }
            var session = try RecordedSession(
                folder: URL(filePath: #filePath).deletingLastPathComponent(),
                routes: routes.map { "\($0.method.rawValue) \($0.path)" },
                random: "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}",
                hidden: [
                    "caPEM", "certificatePEM", "certificateSHA256", "channelPort", "controlPort", "openedAt", "p12",
                    "p8", "port", "privateKeyPEM", "remoteAddress", "world",
                ]
            )
            let provider = try await ProviderTestClient(simulator)
            time.advance(by: .seconds(Self.start - today))
            // APNs refuses frequent changes of the provider token.
            let token = try ProviderTokenFactory(simulator.demoKey).token(issuedAt: time.now)
            let differences = try await session.run { request in
                let answer = try await control.send(
                    request.method,
                    request.path,
                    request.body.map { String(decoding: $0, as: UTF8.self) }
                )
                return RecordedSession.Response(status: answer.status, headers: answer.headers, body: answer.body)
            } step: { name, variables in
                let device = try #require(variables["token"])
                try await Self.perform(name, device: device, authorization: "bearer \(token)", provider)
                return [:]
            }
            await provider.close()
            for difference in differences { Issue.record("\(difference)") }
        }
    }

    /// Pushes to the app on the first device.
    private static func perform(
        _ step: String,
        device: JSONValue,
        authorization: String,
        _ provider: ProviderTestClient
    ) async throws {
        guard case .string(let device) = device else { return }
        let steps: [String: (headers: [(StaticString, String)], body: [UInt8])] = [
            "push an alert": ([("apns-collapse-id", "news")], PushRequest.body),
            "push in the background": (
                [("apns-push-type", "background"), ("apns-priority", "5")],
                Array(#"{"aps":{"content-available":1}}"#.utf8)
            ),
        ]
        let (headers, body) = try #require(steps[step])
        let fields = PushRequest.fields(
            path: "/3/device/\(device)",
            others: [("authorization", authorization), ("apns-topic", "com.example.app")] + headers
        )
        let response = try await provider.send(fields, body: body)
        #expect(response.status == "200", "\(response)")
    }
}
