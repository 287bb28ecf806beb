// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Pauses a campaign.
struct CampaignPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop a campaign until it is resumed; takes hold within a second."
    )

    @OptionGroup var campaign: CampaignArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        try await self.campaign.steer("pause", self.server, self.output)
    }
}

/// Resumes a campaign.
struct CampaignResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Go on with a paused campaign.")

    @OptionGroup var campaign: CampaignArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        try await self.campaign.steer("resume", self.server, self.output)
    }
}

/// Cancels a campaign.
struct CampaignCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Call a campaign off for good; takes hold within a second."
    )

    @OptionGroup var campaign: CampaignArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        try await self.campaign.steer("cancel", self.server, self.output)
    }
}

extension CampaignArguments {
    /// Asks the server for a change, and tells how the campaign stands then.
    fileprivate func steer(_ verb: String, _ server: ServerArguments, _ output: OutputArguments) async throws {
        let answer = try await server.client().call(.post, "\(self.path):\(verb)")
        if output.json { return Console.out(answer.text) }
        let campaign = try answer.decoded(as: CampaignAnswer.self)
        Console.out("\(campaign.name) is \(campaign.progress.state): \(campaign.progress.summary)")
    }
}
