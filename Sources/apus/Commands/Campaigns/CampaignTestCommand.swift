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
            """
    )

    private struct Answer: Decodable {
        let id: String
        let targetCount: Int
    }

    @OptionGroup var campaign: CampaignArguments

    @Option(name: .customLong("device"), help: "An installation; may be given up to 100 times.")
    var devices: [String] = []

    @Option(name: .customLong("user"), help: "A user, with all of their devices; may be given up to 100 times.")
    var users: [String] = []

    @Option(help: "Sends it once, however often it is repeated under this name within 24 hours.")
    var idempotencyKey: String?

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
            "\(self.campaign.path):test",
            body: body,
            headers: self.idempotencyKey.map { ["Idempotency-Key": $0] } ?? [:]
        )
        if self.output.json { return Console.out(answer.text) }
        let sent = try answer.decoded(as: Answer.self)
        Console.out("Sent to \(sent.targetCount) \(sent.targetCount == 1 ? "device" : "devices"), as \(sent.id).")
    }
}
