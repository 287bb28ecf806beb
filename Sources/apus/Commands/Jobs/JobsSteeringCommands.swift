// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Makes a run of a job now.
struct JobsRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a job now, paused or not; its schedule stays as it is."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let answer = try await self.server.client().call(.post, "\(self.job.path):run")
        if self.output.json { return Console.out(answer.text) }
        let run = try answer.decoded(as: JobAnswer.Run.self)
        Console.out("Run \(run.id) of \(self.job.job) is \(run.state); `apus jobs history` tells what becomes of it.")
    }
}

/// Pauses a job.
struct JobsPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Let the occurrences of a job pass without a run, until it is resumed."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        try await self.job.steer("pause", self.server, self.output)
    }
}

/// Resumes a job.
struct JobsResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Run a paused job again, from its next occurrence on."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        try await self.job.steer("resume", self.server, self.output)
    }
}

/// Removes a job.
struct JobsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Remove a job with its history."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        _ = try await self.server.client().call(.delete, self.job.path)
        if self.output.json { return try Console.json(["deleted": self.job.job]) }
        Console.out("Removed \(self.job.job).")
    }
}

extension JobArguments {
    /// Asks the server for a change, and tells how the job stands then.
    fileprivate func steer(_ verb: String, _ server: ServerArguments, _ output: OutputArguments) async throws {
        let answer = try await server.client().call(.post, "\(self.path):\(verb)")
        if output.json { return Console.out(answer.text) }
        let job = try answer.decoded(as: JobAnswer.self)
        Console.out(job.paused ? "\(job.id) is paused." : "\(job.id) is due next at \(job.nextAt ?? "no time").")
    }
}
