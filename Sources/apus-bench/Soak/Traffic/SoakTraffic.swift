// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation
import PushModel
import PushStore

/// Everything that is handed to the server while there are faults: campaigns, streams and single notifications.
struct SoakTraffic: Sendable {
    private static let singlesInterval: Duration = .milliseconds(250)
    private static let streamsInterval: Duration = .seconds(10)
    private static let linesOfStream = 200

    let configuration: SoakConfiguration
    let client: SoakClient
    let tokens: [String]

    /// Sends until `end`, and waits until all requests are accepted and every stream has its outcomes.
    ///
    /// There is at least one request of each type.
    /// - Returns: the outcomes of the lines of streams.
    func run(until end: ContinuousClock.Instant) async -> [StreamLines.Answer] {
        async let campaigns: Void = self.sendCampaigns(until: end)
        async let singles: Void = self.sendSingles(until: end)
        let answers = await self.sendStreams(until: end)
        await campaigns
        await singles
        return answers
    }

    private var expiration: Int { Int(Date().timeIntervalSince1970) + SoakConfiguration.timeToLive }

    /// Begins a campaign when the one before is planned to its end.
    private func sendCampaigns(until end: ContinuousClock.Instant) async {
        var number = 0
        repeat {
            number += 1
            await SoakCampaignSender(number: number, configuration: self.configuration).run(self.client)
        } while ContinuousClock.now < end
    }

    private func sendSingles(until end: ContinuousClock.Instant) async {
        var dice = SeededDice(seed: self.configuration.seed, use: "singles")
        await withDiscardingTaskGroup { group in
            var number = 0
            repeat {
                number += 1
                let count = Int.random(in: 0..<10, using: &dice) == 0 ? min(20, self.tokens.count) : 1
                let first = Int.random(in: 0...(self.tokens.count - count), using: &dice)
                let send = SoakSingleSender(
                    number: number,
                    tokens: Array(self.tokens[first..<first + count]),
                    waits: Bool.random(using: &dice),
                    repeats: Int.random(in: 0..<5, using: &dice) == 0,
                    expiration: self.expiration
                )
                group.addTask { await send.run(self.client) }
                try? await Task.sleep(for: Self.singlesInterval)
            } while ContinuousClock.now < end
        }
    }

    private func sendStreams(until end: ContinuousClock.Instant) async -> [StreamLines.Answer] {
        await withTaskGroup(of: [StreamLines.Answer].self) { group in
            var number = 0
            repeat {
                number += 1
                let name = "stream-\(number)"
                let start = number * Self.linesOfStream
                let lines = StreamLines(
                    name: name,
                    tokens: (start..<start + Self.linesOfStream).map { self.tokens[$0 % self.tokens.count] },
                    expiration: self.expiration
                )
                let stream = SoakStreamSender(name: name, lines: lines)
                group.addTask {
                    await stream.run(self.client)
                    return Array(stream.outcomes.values)
                }
                try? await Task.sleep(for: Self.streamsInterval)
            } while ContinuousClock.now < end
            return await group.reduce(into: []) { $0 += $1 }
        }
    }
}

/// A campaign to every device, throttled.
struct SoakCampaignSender: Sendable {
    let number: Int
    let configuration: SoakConfiguration

    private var name: String { "campaign \(self.number)" }

    private struct Page: Decodable {
        let campaigns: [BenchCampaign]
    }

    /// Creates it, and waits until it is planned to its end.
    func run(_ client: SoakClient) async {
        guard let id = await self.create(client) else {
            if client.isOver { client.record.breach("\(self.name) was never accepted") }
            return
        }
        while !client.isOver {
            guard let campaign = await client.read("\(client.path)/campaigns/\(id)", as: BenchCampaign.self) else {
                return
            }
            if campaign.progress.isCompleted || campaign.progress.enqueued >= self.configuration.audience { return }
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// Creating a campaign has no idempotency key, so after a missing response the client looks for one of that name.
    private func create(_ client: SoakClient) async -> String? {
        let end = Date().addingTimeInterval(Double(2 * SoakConfiguration.timeToLive))
        let payload = #"{"aps":{"alert":"\#(self.name)"}}"#
        let body = #"""
            {"name":"\#(self.name)","audience":{"all":true},"message":{"default":{"payload":\#(payload)}},
            "ratePerSecond":\#(self.configuration.ratePerSecond),"expiresAt":"\#(end.formatted(.iso8601))"}
            """#
        while !client.isOver {
            let answer = await client.attempt(.post, "\(client.path)/campaigns", body: Data(body.utf8))
            if let answer, answer.status == 201 {
                return (try? JSON.decoder.decode(BenchCampaign.self, from: answer.body))?.id
            }
            if let answer, (400..<500).contains(answer.status) {
                client.record.breach("\(self.name): \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
                return nil
            }
            await client.pauseBeforeRetry()
            let page = await client.read("\(client.path)/campaigns?limit=20", as: Page.self)
            if let found = page?.campaigns.first(where: { $0.name == self.name }) { return found.id }
        }
        return nil
    }
}

/// An urgent notification to one or a few devices, sent until the server responds.
struct SoakSingleSender: Sendable {
    let number: Int
    let tokens: [String]

    /// Whether the request waits for the outcomes, so that a process can be killed meanwhile.
    let waits: Bool

    /// Whether it is handed over once more after it was accepted.
    let repeats: Bool

    /// Until when it is tried, in seconds since 1970.
    let expiration: Int

    private struct Accepted: Decodable {
        let id: String
        let targetCount: Int
    }

    /// Sends it; a repetition has the same idempotency key, so its response must have the same ID.
    func run(_ client: SoakClient) async {
        guard let first = await self.handOver(client) else { return }
        client.record.change { state in
            state.accepted += first.targetCount
            if !state.singles.insert(first.id).inserted { state.acceptedTwice += 1 }
        }
        if first.targetCount != self.tokens.count {
            client.record.breach("single \(self.number) has \(first.targetCount) targets, not \(self.tokens.count)")
        }
        guard self.repeats, let second = await self.handOver(client), second.id != first.id else { return }
        client.record.change { $0.acceptedTwice += 1 }
        client.record.breach("single \(self.number) was accepted twice, as \(first.id) and \(second.id)")
    }

    private func handOver(_ client: SoakClient) async -> Accepted? {
        let tokens = self.tokens.map { "\"\($0)\"" }.joined(separator: ",")
        let payload = #"{"aps":{"alert":"single \#(self.number)"}}"#
        let body =
            #"{"targets":{"tokens":[\#(tokens)]},"payload":\#(payload),"lane":"urgent","expiration":\#(self.expiration)}"#
        guard
            let answer = await client.call(
                .post,
                "\(client.path)/notifications\(self.waits ? "?wait=true" : "")",
                body: Data(body.utf8),
                headers: ["idempotency-key": "single-\(self.number)"]
            )
        else {
            if client.isOver { client.record.breach("single \(self.number) was never accepted") }
            return nil
        }
        guard let accepted = try? JSON.decoder.decode(Accepted.self, from: answer.body) else {
            client.record.breach("single \(self.number) returned an invalid response")
            return nil
        }
        return accepted
    }
}

/// The devices of a soak: those that the simulator has, and a few that APNs does not know.
struct SoakPopulation: Sendable {
    let configuration: SoakConfiguration
    let tokens: [DeviceToken]

    /// Registers all devices in an empty store, and creates an API key.
    ///
    /// Returns the key.
    func register(in store: any APIKeyStore & AppStore & DeviceStore) async throws -> String {
        let app = try AppID(validating: SoakConfiguration.app)
        let now = Date()
        try await store.createApp(App(id: app, name: "soak", defaultEnvironment: .sandbox, createdAt: now))
        var dice = SeededDice(seed: self.configuration.seed, use: "strangers")
        let strangers = try (0..<self.configuration.strangers).map { _ in
            try DeviceToken(bytes: (0..<32).map { _ in UInt8.random(in: 0...255, using: &dice) })
        }
        let registrations = try (self.tokens + strangers).enumerated().map { number, token in
            DeviceRegistration(
                app: app,
                installation: try DeviceID(validating: "installation-\(number)"),
                token: token,
                environment: .sandbox
            )
        }
        for start in stride(from: 0, to: registrations.count, by: 5000) {
            let part = Array(registrations[start..<min(start + 5000, registrations.count)])
            try await store.register(part, now: now)
        }
        return try await LocalAPIKeyRepository(store: store).create(NewAPIKey(name: "soak", scopes: [.admin])).key ?? ""
    }
}
