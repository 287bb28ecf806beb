// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Shows how far a campaign has come, once a second, until nothing of it will change any more.
struct CampaignWatch: Sendable {
    let client: APIClient

    /// The path of the campaign.
    let path: String

    /// Whether each look is a line of JSON.
    let asJSON: Bool

    func run() async throws {
        let line = ProgressLine.standardOutput()
        var shown = ""
        while true {
            let answer = try await self.client.call(.get, "\(self.path)/progress")
            let progress = try answer.decoded(as: CampaignAnswer.Progress.self)
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
