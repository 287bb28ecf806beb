// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

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

    func run() async throws {
        let watch = CampaignWatch(
            client: try self.server.client(),
            app: self.campaign.app,
            campaign: self.campaign.campaign,
            isMade: false,
            patience: self.patience.duration,
            asJSON: self.server.json
        )
        try await watch.run()
    }
}

/// Shows how far a campaign has come, once a second, until nothing of it will change any more.
struct CampaignWatch: Sendable {
    let client: APIClient
    let app: String
    let campaign: String

    /// Whether this command has created it; then a first look that fails is none like any other.
    let isMade: Bool

    /// How long it goes on while the server does not answer.
    let patience: Duration

    /// Whether each look is a line of JSON.
    let asJSON: Bool

    /// Looks until the end.
    ///
    /// - Throws: ``CommandFailure`` where the first look fails, or later ones do for too long; `ExitCode` when the campaign
    ///   has ended in another way than by finishing.
    func run() async throws {
        let line = ProgressLine.standardOutput()
        var shown = ""
        var looks = PatientClient(
            self.client,
            subject: "The campaign \(self.campaign)",
            command: "apus campaign watch \(self.app) \(self.campaign)",
            patience: self.patience,
            isMade: self.isMade
        )
        let path = "/v1/apps/\(self.app.asPathSegment)/campaigns/\(self.campaign.asPathSegment)/progress"
        while true {
            let (answer, progress) = try await looks.look(at: path, as: CampaignAnswer.Progress.self)
            if self.asJSON {
                Console.out(answer.text)
            } else if line.isTerminal {
                line.show(progress.bar(width: 30) + " " + progress.summary)
            } else if progress.summary != shown {
                shown = progress.summary
                Console.out("\(progress.state): \(shown)")
            }
            if progress.isSettled {
                if !self.asJSON { line.end("\(progress.state): \(progress.summary)") }
                if progress.state != "finished" { throw ExitCode.failure }
                return
            }
            try await Task.sleep(for: .seconds(1))
        }
    }
}
