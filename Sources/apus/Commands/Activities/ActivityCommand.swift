// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// The commands about Live Activities.
struct ActivityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract: "Start, change and end Live Activities, watch one, and tell what happened to it.",
        subcommands: [
            ActivityStartCommand.self, ActivityUpdateCommand.self, ActivityEndCommand.self, ActivityWatchCommand.self,
            ActivityTimelineCommand.self,
        ]
    )
}

/// Which activity a command is about.
struct ActivityArguments: ParsableArguments {
    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The activity, by the name that you gave it.")
    var activity: String

    /// The path of the app's activities.
    var list: String { "/v1/apps/\(self.app.asPathSegment)/activities" }

    /// The path of the activity.
    var path: String { "\(self.list)/\(self.activity.asPathSegment)" }
}
