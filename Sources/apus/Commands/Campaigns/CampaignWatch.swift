// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

struct CampaignWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a campaign until its end: a bar on a terminal, lines elsewhere.",
        discussion: """
            The exit status is 0 when the campaign finished, and 1 when it ended in another way. The command retries \
            while the server restarts; if the server does not respond for too long, or rejects the request, the status \
            is 3.
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

/// Shows the progress of a campaign once a second, until it ends.
struct CampaignWatch: Sendable {
    let client: APIClient
    let app: String
    let campaign: String

    /// Whether this command has created the campaign; then the first failed request is retried, too.
    let isMade: Bool

    /// The maximum time without a response of the server.
    let patience: Duration

    /// Whether the output is a line of JSON for each response.
    let asJSON: Bool

    /// Watches the campaign until its end.
    ///
    /// - Throws: ``CommandFailure`` if the first request fails, or later ones fail for too long; `ExitCode` if the
    ///   campaign did not finish.
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
