// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// The commands about campaigns.
struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Send to all devices of an app, or to those of an audience; watch, pause, resume and cancel that.",
        subcommands: [
            CampaignCreateCommand.self, CampaignEstimateCommand.self, CampaignTestCommand.self,
            CampaignListCommand.self,
            CampaignWatchCommand.self, CampaignPauseCommand.self, CampaignResumeCommand.self,
            CampaignCancelCommand.self,
        ]
    )
}

/// Which campaign a command is about.
struct CampaignArguments: ParsableArguments {
    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The campaign, as `apus campaign list` names it.")
    var campaign: String

    /// The path of the campaign.
    var path: String { "/v1/apps/\(self.app.asPathSegment)/campaigns/\(self.campaign.asPathSegment)" }
}
