// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Watches a campaign.
struct CampaignWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a campaign until its end: a bar on a terminal, lines elsewhere.",
        discussion: """
            The exit status is 0 when the campaign has finished, and 1 when it ended in another way. While the server is \
            started anew it is asked again; where it does not answer for too long, or refuses to, the status is 3.
            """
    )

    @OptionGroup var campaign: CampaignArguments
    @OptionGroup var patience: PatienceArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let watch = CampaignWatch(
            client: try self.server.client(),
            app: self.campaign.app,
            campaign: self.campaign.campaign,
            isMade: false,
            patience: self.patience.duration,
            asJSON: self.output.json
        )
        try await watch.run()
    }
}
