// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct CampaignCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a campaign, which starts automatically.",
        discussion: """
            apus campaign create com.example.app --file campaign.json --watch
            apus campaign create com.example.app --topic news --title Hello --body "It is out" --rate 1000
            apus campaign create com.example.app --audience '{"locale":"de"}' --title Hallo --local-time 2036-03-20T09:00
            A file has the complete request of the API. The options cover simple campaigns.

            With --watch, the exit status is 0 if the campaign completed. 3 means that it was created, but watching \
            ended early: do not create it again. 1 means that it ended in another way, or that the server did not \
            confirm its creation.
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Option(help: "File with the campaign as JSON; - is standard input. Excludes all other content options.")
    var file: String?

    @OptionGroup(title: "What") var content: CampaignContentArguments

    @Option(help: "Idempotency key: repetitions with the same key within 24 hours create the campaign once.")
    var idempotencyKey: String?

    @Flag(help: "Watch the campaign until its end.")
    var watch = false

    @OptionGroup var retryTimeout: RetryTimeoutArguments
    @OptionGroup var server: ServerArguments

    func validate() throws {
        if self.file != nil {
            guard self.content.isEmpty else {
                throw ValidationError("Give either --file, or content options such as --title.")
            }
        } else {
            try self.content.check()
        }
    }

    func run() async throws {
        let client = try self.server.client()
        let body = try self.file.map { try InputFile.bytes($0) } ?? self.content.request()
        let answer = try await client.call(
            .post,
            "/v1/apps/\(self.app.asPathSegment)/campaigns",
            body: body,
            headers: self.idempotencyKey.map { ["Idempotency-Key": $0] } ?? [:]
        )
        let campaign = try answer.decoded(as: CampaignResponse.self)
        if self.server.json {
            Console.out(answer.text)
        } else {
            Console.out("Created \(campaign.id): \(campaign.progress.state).")
        }
        guard self.watch else { return }
        try await self.server.watch(
            CampaignResponse.Progress.self,
            campaign.id,
            of: self.app,
            isMade: true,
            retryTimeout: self.retryTimeout
        )
    }
}

/// The options of a simple campaign.
struct CampaignContentArguments: ParsableArguments {
    @Option(help: "Display name of the campaign.")
    var name: String?

    @OptionGroup var recipients: CampaignAudienceArguments

    @Option(help: "Title of the alert; can have placeholders for device attributes, such as {{tags.name|there}}.")
    var title: String?

    @Option(help: "Body of the alert; can have the same placeholders.")
    var body: String?

    @Option(help: "File with the complete payload as JSON; - is standard input.")
    var payload: String?

    @Option(help: "Start of the campaign, such as 2036-03-20T09:00:00Z. Default: now.")
    var startAt: String?

    @Option(help: "Local time at which it is sent to each device, such as 2036-03-20T09:00.")
    var localTime: String?

    @Option(help: "Time zone of devices without a known one, for --local-time. Default: UTC.")
    var fallbackZone: String?

    @Option(help: "Maximum number of notifications per second. Default: no limit.")
    var rate: Int?

    @Option(help: "Time after which nothing is sent. Default: never.")
    var expiresAt: String?

    @Flag(help: "Create the campaign paused, so that it can be tested first; it starts when it is resumed.")
    var paused = false

    var isEmpty: Bool {
        let texts = [
            self.name, self.recipients.audience, self.recipients.topic, self.title, self.body, self.payload,
            self.startAt, self.localTime, self.fallbackZone, self.expiresAt,
        ]
        return texts.allSatisfy { $0 == nil } && self.rate == nil && !self.paused
    }

    /// Rejects options that exclude each other.
    func check() throws {
        guard (self.title != nil || self.body != nil) != (self.payload != nil) else {
            throw ValidationError("Give --file, or --payload, or one or both of --title and --body.")
        }
        try self.recipients.check()
        guard self.startAt == nil || self.localTime == nil else {
            throw ValidationError("Give either --start-at or --local-time.")
        }
        guard self.fallbackZone == nil || self.localTime != nil else {
            throw ValidationError("--fallback-zone requires --local-time.")
        }
    }

    /// Returns the request that creates the campaign, as JSON.
    func request() throws -> Data {
        var members: [String: JSONValue] = [
            "audience": try self.recipients.value(),
            "message": ["default": try self.variant()],
        ]
        if let name { members["name"] = .string(name) }
        if let rate { members["ratePerSecond"] = .integer(Int64(rate)) }
        if let expiresAt { members["expiresAt"] = .string(expiresAt) }
        if self.paused { members["startPaused"] = true }
        if let startAt { members["start"] = ["at": .string(startAt)] }
        if let localTime {
            var start: [String: JSONValue] = ["time": .string(localTime)]
            if let fallbackZone { start["fallbackZone"] = .string(fallbackZone) }
            members["start"] = ["local": .object(start)]
        }
        return Data(try JSONValue.object(members).json())
    }

    private func variant() throws -> JSONValue {
        if let payload { return ["payload": try JSONValue(text: try InputFile.bytes(payload), of: payload)] }
        var alert: [String: JSONValue] = [:]
        if let title { alert["title"] = .string(title) }
        if let body { alert["body"] = .string(body) }
        return ["notification": .object(alert)]
    }
}

struct CampaignAudienceArguments: ParsableArguments {
    @Option(help: "Audience expression as JSON. Default: all devices.")
    var audience: String?

    @Option(help: "Topic: sends to all subscribed devices.")
    var topic: String?

    /// Rejects options that exclude each other.
    func check() throws {
        guard self.audience == nil || self.topic == nil else {
            throw ValidationError("Give either --audience or --topic.")
        }
    }

    /// Returns the audience as a member of the request.
    func value() throws -> JSONValue {
        if let topic { return ["topic": .string(topic)] }
        guard let audience else { return ["all": true] }
        return try JSONValue(text: audience.utf8, of: "--audience")
    }
}
