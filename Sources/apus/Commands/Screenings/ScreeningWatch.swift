// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

struct ScreenWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a screening until its end.",
        discussion: """
            The exit status is 0 when the screening has finished, and 1 when it ended in another way. While the server is \
            started anew it is asked again; where it does not answer for too long, or refuses to, the status is 3.
            """
    )

    @OptionGroup var screening: ScreeningArguments
    @OptionGroup var patience: PatienceArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        let watch = ScreeningWatch(
            client: try self.server.client(),
            app: self.screening.app,
            screening: self.screening.screening,
            isMade: false,
            patience: self.patience.duration,
            asJSON: self.server.json
        )
        try await watch.run()
    }
}

/// Shows how far a screening has come, once a second, until nothing of it will change any more.
struct ScreeningWatch: Sendable {
    let client: APIClient
    let app: String
    let screening: String

    /// Whether this command has started it; then a first look that fails is none like any other.
    let isMade: Bool

    /// How long it goes on while the server does not answer.
    let patience: Duration

    /// Whether each look is a line of JSON.
    let asJSON: Bool

    func run() async throws {
        let line = ProgressLine.standardOutput()
        var shown = ""
        var looks = PatientClient(
            self.client,
            subject: "The screening \(self.screening)",
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
