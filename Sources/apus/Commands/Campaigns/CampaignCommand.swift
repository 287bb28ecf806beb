// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Send to all devices of an app, or to an audience; watch, pause, resume and cancel campaigns.",
        subcommands: [
            CampaignCreateCommand.self, CampaignEstimateCommand.self, CampaignTestCommand.self,
            CampaignListCommand.self,
            CampaignWatchCommand.self, CampaignPauseCommand.self, CampaignResumeCommand.self,
            CampaignCancelCommand.self,
        ]
    )
}

/// The campaign that a command works on.
struct CampaignArguments: ParsableArguments {
    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "ID of the campaign, as `apus campaign list` shows it.")
    var campaign: String

    var path: String { "/v1/apps/\(self.app.asPathSegment)/campaigns/\(self.campaign.asPathSegment)" }
}

struct CampaignListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's campaigns, the latest first; with --json one object per line."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/campaigns"
        let heading = ["CAMPAIGN", "NAME", "STATE", "PLANNED", "DELIVERED", "LEFT", "CREATED"]
        try await self.server.list(path, heading) { (campaign: CampaignResponse) in
            let progress = campaign.progress
            return [
                campaign.id, campaign.name, progress.state, "\(progress.enqueued)", "\(progress.counts.delivered)",
                progress.remaining.map { "\($0)" } ?? "-", campaign.createdAt,
            ]
        }
    }
}

struct CampaignEstimateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "estimate",
        abstract: "Count the devices of an audience.",
        discussion: """
            apus campaign estimate com.example.app --audience '{"locale":"de"}'
            apus campaign estimate com.example.app --topic news --json
            """
    )

    private struct Answer: Decodable {
        let count: Int
    }

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @OptionGroup(title: "Whom") var recipients: CampaignAudienceArguments
    @OptionGroup var server: ServerArguments

    func validate() throws { try self.recipients.check() }

    func run() async throws {
        let body = Data(try JSONValue.object(["audience": try self.recipients.value()]).json())
        let path = "/v1/apps/\(self.app.asPathSegment)/campaigns:estimate"
        try await self.server.call(.post, path, body: body) { (answer: Answer) in
            "\(answer.count) \(answer.count == 1 ? "device" : "devices")."
        }
    }
}

struct CampaignTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send the message of a campaign to a few devices or users first, each its own variant.",
        discussion: """
            apus campaign create com.example.app --title Hello --paused
            apus campaign test com.example.app 0199... --user anna --user berta
            apus campaign test com.example.app 0199... --device my-phone
            The campaign itself does not change.

            The command waits for the outcomes: the exit status is 0 only if APNs accepted every notification. \
            Notifications without an outcome after waitTimeoutSeconds (configuration of the server) are still sent.
            """
    )

    @OptionGroup var campaign: CampaignArguments

    @Option(name: .customLong("device"), help: "Device ID. Repeatable up to 100 times.")
    var devices: [String] = []

    @Option(name: .customLong("user"), help: "User: sends to all devices of the user. Repeatable up to 100 times.")
    var users: [String] = []

    @Option(help: "Idempotency key: repetitions with the same key within 24 hours send the test once.")
    var idempotencyKey: String?

    @Flag(inversion: .prefixedNo, help: "Wait for the outcomes. --no-wait exits when the server has accepted the test.")
    var wait = true

    @OptionGroup var server: ServerArguments

    func validate() throws {
        guard self.devices.isEmpty != self.users.isEmpty else {
            throw ValidationError("Give either --device or --user.")
        }
    }

    func run() async throws {
        let (member, names) = self.devices.isEmpty ? ("users", self.users) : ("devices", self.devices)
        let body = Data(try JSONValue.object([member: .array(names.map { .string($0) })]).json())
        let answer = try await self.server.client().call(
            .post,
            "\(self.campaign.path):test" + (self.wait ? "?wait=true" : ""),
            body: body,
            headers: self.idempotencyKey.map { ["Idempotency-Key": $0] } ?? [:]
        )
        let report = SendSummary(notification: try answer.decoded(), waited: self.wait)
        if self.server.json { Console.out(answer.text) } else { report.show() }
        if report.hasFailed { throw ExitCode.failure }
    }
}

struct CampaignWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a campaign until its end: a bar on a terminal, lines elsewhere.",
        discussion: """
            The exit status is 0 when the campaign completed, and 1 when it ended in another way. The command retries \
            while the server restarts; if the server does not respond for too long, or rejects the request, the status \
            is 3.
            """
    )

    @OptionGroup var campaign: CampaignArguments
    @OptionGroup var retryTimeout: RetryTimeoutArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        try await self.server.watch(
            CampaignResponse.Progress.self,
            self.campaign.campaign,
            of: self.campaign.app,
            retryTimeout: self.retryTimeout
        )
    }
}

struct CampaignPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause a campaign until it is resumed. Takes effect within one second."
    )

    @OptionGroup var campaign: CampaignArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.campaign.steer("pause", self.server) }
}

struct CampaignResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Resume a paused campaign.")

    @OptionGroup var campaign: CampaignArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.campaign.steer("resume", self.server) }
}

struct CampaignCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel a campaign permanently. Takes effect within one second."
    )

    @OptionGroup var campaign: CampaignArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.campaign.steer("cancel", self.server) }
}

extension CampaignArguments {
    /// Sends a control request, and prints the state of the campaign in the response.
    fileprivate func steer(_ verb: String, _ server: ServerArguments) async throws {
        try await server.call(.post, "\(self.path):\(verb)") { (campaign: CampaignResponse) in
            "\(campaign.name) is \(campaign.progress.state): \(campaign.progress.summary)"
        }
    }
}
