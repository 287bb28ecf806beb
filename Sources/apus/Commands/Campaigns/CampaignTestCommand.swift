// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import Foundation

/// Sends a campaign's message to a few devices, or to those of a few users.
struct CampaignTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a campaign's message to a few devices or users first, each its own variant.",
        discussion: """
            apus campaign create com.example.app --title Hello --paused
            apus campaign test com.example.app 0199... --user anna --user berta
            apus campaign test com.example.app 0199... --device my-phone
            The campaign itself stays as it is.

            The command waits for the outcomes: the exit status is 0 only when APNs took every notification. The server \
            goes on with those that have no outcome when its patience ends (waitSeconds of its configuration).
            """
    )

    @OptionGroup var campaign: CampaignArguments

    @Option(name: .customLong("device"), help: "An installation; may be given up to 100 times.")
    var devices: [String] = []

    @Option(name: .customLong("user"), help: "A user, with all of their devices; may be given up to 100 times.")
    var users: [String] = []

    @Option(help: "Sends it once, however often it is repeated under this name within 24 hours.")
    var idempotencyKey: String?

    @Flag(inversion: .prefixedNo, help: "Wait for the outcomes.")
    var wait = true

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard self.devices.isEmpty != self.users.isEmpty else {
            throw ValidationError("Give either some --device or some --user.")
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
        let report = SendingReport(notification: try answer.decoded(), waited: self.wait)
        if self.output.json { Console.out(answer.text) } else { report.show() }
        if report.hasFailed { throw ExitCode.failure }
    }
}
