// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

struct ScreenWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a token validation until its end.",
        discussion: """
            The exit status is 0 when the token validation finished, and 1 when it ended in another way. The command \
            retries while the server restarts; if the server does not respond for too long, or rejects the request, \
            the status is 3.
            """
    )

    @OptionGroup var screening: ScreeningArguments
    @OptionGroup var patience: PatienceArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let watch = ScreeningWatch(
            client: try self.server.client(),
            app: self.screening.app,
            screening: self.screening.screening,
            isMade: false,
            patience: self.patience.duration,
            asJSON: self.output.json
        )
        try await watch.run()
    }
}

/// Shows the progress of a token validation once a second, until it ends.
struct ScreeningWatch: Sendable {
    let client: APIClient
    let app: String
    let screening: String

    /// Whether this command has created the token validation; then the first failed request is retried, too.
    let isMade: Bool

    /// The maximum time without a response of the server.
    let patience: Duration

    /// Whether the output is a line of JSON for each response.
    let asJSON: Bool

    func run() async throws {
        let line = ProgressLine.standardOutput()
        var shown = ""
        var looks = PatientClient(
            self.client,
            subject: "The token validation \(self.screening)",
            command: "apus screen watch \(self.app) \(self.screening)",
            patience: self.patience,
            isMade: self.isMade
        )
        let path = "/v1/apps/\(self.app.asPathSegment)/screenings/\(self.screening.asPathSegment)"
        while true {
            let (answer, screening) = try await looks.look(at: path, as: ScreeningAnswer.self)
            if self.asJSON {
                Console.out(answer.text)
            } else if line.isTerminal {
                line.show(screening.summary)
            } else if screening.summary != shown {
                shown = screening.summary
                Console.out("\(screening.state): \(shown)")
            }
            if screening.isSettled {
                if !self.asJSON { line.end("\(screening.state): \(screening.summary)") }
                if screening.state != "finished" { throw ExitCode.failure }
                return
            }
            try await Task.sleep(for: .seconds(1))
        }
    }
}
