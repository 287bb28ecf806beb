// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Watches an activity.
struct ActivityWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a Live Activity until it is over: a view on a terminal, lines elsewhere.",
        discussion: """
            Shows where it stands, its phones, the newest content state, what is planned and when it is due, and what \
            changed last. It ends when the activity is over and its last pushes have their outcomes, or by Ctrl-C. With \
            --json each look that finds something new is a line. When the server is restarted, it comes back.
            """
    )

    @OptionGroup var activity: ActivityArguments

    @Option(help: "How many seconds lie between two looks, 1 to 60.")
    var interval = 1

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (1...60).contains(self.interval) else { throw ValidationError("--interval has to be from 1 to 60.") }
    }

    func run() async throws {
        let watch = ActivityWatch(
            client: try self.server.client(),
            path: self.activity.path,
            interval: .seconds(self.interval),
            asJSON: self.output.json
        )
        try await watch.run()
    }
}
