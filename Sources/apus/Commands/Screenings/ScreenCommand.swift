// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

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

    var path: String { "/v1/apps/\(self.app.asPathSegment)/screenings/\(self.screening.asPathSegment)" }

    /// Asks the server for a change, and tells how the screening stands then.
    func steer(_ verb: String, _ server: ServerArguments) async throws {
        try await server.call(.post, "\(self.path):\(verb)") { (screening: ScreeningAnswer) in
            "\(screening.name) is \(screening.state): \(screening.summary)"
        }
    }
}

struct ScreenStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start a screening of an app's devices.",
        discussion: """
            With --watch the exit status is 0 when the screening has finished. With 3 it was \
            created, but not watched to its end. With 1 it ended in another way, or the server has not said that it \
            created one.
            """
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "Over how many seconds the devices are spread; 0 is as fast as can be.")
    var spread = 3600

    @Option(help: "Which devices, as JSON. Default: all of them.")
    var audience: String?

    @Flag(help: "Correct devices whose token belongs to the other environment.")
    var correct = false

    @Option(help: "The instant at which it begins, such as 2036-03-20T01:00:00Z. Default: now.")
    var at: String?

    @Option(help: "What people call it.")
    var name: String?

    @Flag(help: "Watch it until its end.")
    var watch = false

    @OptionGroup var patience: PatienceArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/screenings"
        let answer = try await self.server.client().call(.post, path, body: try self.request())
        let screening = try answer.decoded(as: ScreeningAnswer.self)
        if self.server.json {
            Console.out(answer.text)
        } else {
            Console.out("Created \(screening.id): \(screening.state).")
        }
        guard self.watch else { return }
        try await self.server.watch(
            ScreeningAnswer.self,
            screening.id,
            of: self.app,
            isMade: true,
            patience: self.patience
        )
    }

    private func request() throws -> Data {
        var members: [String: JSONValue] = [
            "spreadSeconds": .integer(Int64(self.spread)), "correct": .bool(self.correct),
        ]
        if let name { members["name"] = .string(name) }
        if let at { members["startAt"] = .string(at) }
        if let audience { members["audience"] = try JSONValue(text: audience.utf8, of: "--audience") }
        return Data(try JSONValue.object(members).json())
    }
}

struct ScreenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's screenings, the youngest first; with --json one object a line."
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/screenings"
        try await self.server.list(path, ["SCREENING", "STATE", "CREATED", "FOUND"]) { (screening: ScreeningAnswer) in
            [screening.id, screening.state, screening.createdAt, screening.summary]
        }
    }
}

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
        try await self.server.watch(
            ScreeningAnswer.self,
            self.screening.screening,
            of: self.screening.app,
            patience: self.patience
        )
    }
}

struct ScreenPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop a screening until it is resumed."
    )

    @OptionGroup var screening: ScreeningArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.screening.steer("pause", self.server) }
}

struct ScreenResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "resume", abstract: "Go on with a paused screening.")

    @OptionGroup var screening: ScreeningArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.screening.steer("resume", self.server) }
}

struct ScreenCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cancel", abstract: "Call a screening off for good.")

    @OptionGroup var screening: ScreeningArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.screening.steer("cancel", self.server) }
}
