// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import Foundation

/// Counts the devices of an audience.
struct CampaignEstimateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "estimate",
        abstract: "Count the devices that a campaign to an audience would be sent to now.",
        discussion: """
            apus campaign estimate com.example.app --audience '{"locale":"de"}'
            apus campaign estimate com.example.app --topic news --json
            """
    )

    private struct Answer: Decodable {
        let count: Int
    }

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup(title: "Whom") var recipients: CampaignAudienceArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func validate() throws { try self.recipients.check() }

    func run() async throws {
        let body = Data(try JSONValue.object(["audience": try self.recipients.value()]).json())
        let path = "/v1/apps/\(self.app.asPathSegment)/campaigns:estimate"
        let answer = try await self.server.client().call(.post, path, body: body)
        if self.output.json { return Console.out(answer.text) }
        let count = try answer.decoded(as: Answer.self).count
        Console.out("\(count) \(count == 1 ? "device" : "devices").")
    }
}
