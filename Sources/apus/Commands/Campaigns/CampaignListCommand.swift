// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Lists the campaigns of an app.
struct CampaignListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's campaigns, the youngest first; with --json one object a line."
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        var table = TextTable(heading: "CAMPAIGN", "NAME", "STATE", "PLANNED", "DELIVERED", "LEFT", "CREATED")
        let path = "/v1/apps/\(self.app.asPathSegment)/campaigns"
        try await self.server.client().each(of: path, as: CampaignAnswer.self) { campaign in
            if self.output.json { return try Console.json(campaign) }
            let progress = campaign.progress
            table.add(
                campaign.id,
                campaign.name,
                progress.state,
                "\(progress.planned)",
                "\(progress.counts.delivered)",
                progress.remaining.map { "\($0)" } ?? "-",
                campaign.createdAt
            )
        }
        if !self.output.json { table.lines.forEach(Console.out) }
    }
}
