// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// The commands about screenings.
struct ScreenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "Find dead tokens, and tokens of the other environment, without anybody seeing anything.",
        discussion: """
            apus screen com.example.app --spread 3600 --correct --watch
            """,
        subcommands: [
            ScreenStartCommand.self, ScreenListCommand.self, ScreenWatchCommand.self, ScreenPauseCommand.self,
            ScreenResumeCommand.self, ScreenCancelCommand.self,
        ],
        defaultSubcommand: ScreenStartCommand.self
    )
}

/// Which screening a command is about.
struct ScreeningArguments: ParsableArguments {
    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The screening, as `apus screen list` names it.")
    var screening: String

    /// The path of the screening.
    var path: String { "/v1/apps/\(self.app.asPathSegment)/screenings/\(self.screening.asPathSegment)" }

    /// Asks the server for a change, and tells how the screening stands then.
    func steer(_ verb: String, _ server: ServerArguments, _ output: OutputArguments) async throws {
        let answer = try await server.client().call(.post, "\(self.path):\(verb)")
        if output.json { return Console.out(answer.text) }
        let screening = try answer.decoded(as: ScreeningAnswer.self)
        Console.out("\(screening.name) is \(screening.state): \(screening.summary)")
    }
}
