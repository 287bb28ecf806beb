// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Pauses a screening.
struct ScreenPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop a screening until it is resumed."
    )

    @OptionGroup var screening: ScreeningArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        try await self.screening.steer("pause", self.server, self.output)
    }
}

/// Resumes a screening.
struct ScreenResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Go on with a paused screening.")

    @OptionGroup var screening: ScreeningArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        try await self.screening.steer("resume", self.server, self.output)
    }
}

/// Cancels a screening.
struct ScreenCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cancel", abstract: "Call a screening off for good.")

    @OptionGroup var screening: ScreeningArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        try await self.screening.steer("cancel", self.server, self.output)
    }
}
