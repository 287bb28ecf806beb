// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct CampaignCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a campaign, which starts by itself.",
        discussion: """
            apus campaign create com.example.app --file campaign.json --watch
            apus campaign create com.example.app --topic news --title Hello --body "It is out" --throttle 1000
            apus campaign create com.example.app --audience '{"locale":"de"}' --title Hallo --local 2036-03-20T09:00
            A file holds the whole campaign as the API takes it; the flags are for what is simple.

            With --watch the exit status is 0 when the campaign has finished. With 3 it was \
            created, but not watched to its end: do not create it again. With 1 it ended in another way, or the server \
            has not said that it created one.
            """
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "A file with the campaign as JSON; - is standard input. Then no flag says what it is.")
    var file: String?

    @OptionGroup(title: "What") var content: CampaignContentArguments

    @Option(help: "Creates it once, however often it is repeated under this name within 24 hours.")
    var idempotencyKey: String?

    @Flag(help: "Watch it until its end.")
    var watch = false

    @OptionGroup var patience: PatienceArguments
    @OptionGroup var server: ServerArguments

    func validate() throws {
        if self.file != nil {
            guard self.content.isEmpty else {
                throw ValidationError("Give either --file, or flags that say what to send.")
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
        let campaign = try answer.decoded(as: CampaignAnswer.self)
        if self.server.json {
            Console.out(answer.text)
        } else {
            Console.out("Created \(campaign.id): \(campaign.progress.state).")
        }
        guard self.watch else { return }
        try await self.server.watch(
            CampaignAnswer.Progress.self,
            campaign.id,
            of: self.app,
            isMade: true,
            patience: self.patience
        )
    }
}

/// A simple campaign in flags.
struct CampaignContentArguments: ParsableArguments {
    @Option(help: "What people call it.")
    var name: String?

    @OptionGroup var recipients: CampaignAudienceArguments

    @Option(help: "The alert's title; {{tags.name|there}} and the like stand for what a device told.")
    var title: String?

    @Option(help: "The alert's text, likewise.")
    var body: String?

    @Option(help: "A file with the whole payload as JSON; - is standard input.")
    var payload: String?

    @Option(help: "The instant at which it begins, such as 2036-03-20T09:00:00Z. Default: now.")
    var at: String?

    @Option(help: "The local time at which each device receives it, such as 2036-03-20T09:00.")
    var local: String?

    @Option(help: "The time zone of devices that told none, for --local. Default: UTC.")
    var fallbackZone: String?

    @Option(help: "Maximum number of notifications per second. Default: no limit.")
    var throttle: Int?

    @Option(help: "The instant from which nothing more is sent.")
    var expires: String?

    @Flag(help: "Create it paused: it begins once it is resumed, and can be tested before.")
    var paused = false

    var isEmpty: Bool {
        let texts = [
            self.name, self.recipients.audience, self.recipients.topic, self.title, self.body, self.payload, self.at,
            self.local,
            self.fallbackZone, self.expires,
        ]
        return texts.allSatisfy { $0 == nil } && self.throttle == nil && !self.paused
    }

    /// Refuses flags that do not belong together.
    func check() throws {
        guard (self.title != nil || self.body != nil) != (self.payload != nil) else {
            throw ValidationError("Give --file, or --payload, or some of --title and --body.")
        }
        try self.recipients.check()
        guard self.at == nil || self.local == nil else { throw ValidationError("Give either --at or --local.") }
        guard self.fallbackZone == nil || self.local != nil else {
            throw ValidationError("--fallback-zone belongs to --local.")
        }
    }

    /// The request to create it, as JSON.
    func request() throws -> Data {
        var members: [String: JSONValue] = [
            "audience": try self.recipients.value(),
            "message": ["default": try self.variant()],
        ]
        if let name { members["name"] = .string(name) }
        if let throttle { members["throttle"] = .integer(Int64(throttle)) }
        if let expires { members["expiresAt"] = .string(expires) }
        if self.paused { members["paused"] = true }
        if let at { members["start"] = ["at": .string(at)] }
        if let local {
            var start: [String: JSONValue] = ["time": .string(local)]
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
    @Option(help: "To whom, as JSON. Default: all devices.")
    var audience: String?

    @Option(help: "To devices that are subscribed to this topic.")
    var topic: String?

    /// Refuses flags that do not belong together.
    func check() throws {
        guard self.audience == nil || self.topic == nil else {
            throw ValidationError("Give either --audience or --topic.")
        }
    }

    /// The audience, as the API takes it.
    func value() throws -> JSONValue {
        if let topic { return ["topic": .string(topic)] }
        guard let audience else { return ["all": true] }
        return try JSONValue(text: audience.utf8, of: "--audience")
    }
}
