// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Watches a campaign.
struct CampaignWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a campaign until its end: a bar on a terminal, lines elsewhere.",
        discussion: "The exit status is 0 when the campaign has finished, and 1 when it ended in another way."
    )

    @OptionGroup var campaign: CampaignArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let client = try self.server.client()
        try await CampaignWatch(client: client, path: self.campaign.path, asJSON: self.output.json).run()
    }
}
