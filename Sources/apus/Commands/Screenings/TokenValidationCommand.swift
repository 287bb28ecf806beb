// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct TokenValidationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "screen",
        abstract: "Validate device tokens with silent pushes: find unregistered tokens, and tokens of the other "
            + "environment.",
        discussion: """
            apus screen com.example.app --spread 3600 --correct --watch
            """,
        subcommands: [
            TokenValidationStartCommand.self, TokenValidationListCommand.self, TokenValidationWatchCommand.self,
            TokenValidationPauseCommand.self,
            TokenValidationResumeCommand.self, TokenValidationCancelCommand.self,
        ],
        defaultSubcommand: TokenValidationStartCommand.self
    )
}

/// The token validation that a command works on.
struct TokenValidationArguments: ParsableArguments {
    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "ID of the token validation, as `apus screen list` shows it.")
    var screening: String

    var path: String { "/v1/apps/\(self.app.asPathSegment)/screenings/\(self.screening.asPathSegment)" }

    /// Sends a control request, and prints the state of the token validation in the response.
    func steer(_ verb: String, _ server: ServerArguments) async throws {
        try await server.call(.post, "\(self.path):\(verb)") { (screening: TokenValidationResponse) in
            "\(screening.name) is \(screening.state): \(screening.summary)"
        }
    }
}

struct TokenValidationStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start a token validation of an app's devices.",
        discussion: """
            With --watch, the exit status is 0 if the token validation finished. 3 means that it was created, but \
            watching ended early. 1 means that it ended in another way, or that the server did not confirm its \
            creation.
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Option(help: "Duration in seconds; pushes are spread evenly over it. 0 sends without a rate limit.")
    var spread = 3600

    @Option(help: "Audience expression as JSON. Default: all devices.")
    var audience: String?

    @Flag(help: "Correct the environment of devices whose token belongs to the other one.")
    var correct = false

    @Option(help: "Start of the token validation, such as 2036-03-20T01:00:00Z. Default: now.")
    var at: String?

    @Option(help: "Display name of the token validation.")
    var name: String?

    @Flag(help: "Watch the token validation until its end.")
    var watch = false

    @OptionGroup var patience: RetryTimeoutArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/screenings"
        let answer = try await self.server.client().call(.post, path, body: try self.request())
        let screening = try answer.decoded(as: TokenValidationResponse.self)
        if self.server.json {
            Console.out(answer.text)
        } else {
            Console.out("Created \(screening.id): \(screening.state).")
        }
        guard self.watch else { return }
        try await self.server.watch(
            TokenValidationResponse.self,
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

struct TokenValidationListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's token validations, the latest first; with --json one object per line."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/screenings"
        try await self.server.list(path, ["VALIDATION", "STATE", "CREATED", "FOUND"]) {
            (screening: TokenValidationResponse) in
            [screening.id, screening.state, screening.createdAt, screening.summary]
        }
    }
}

struct TokenValidationWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a token validation until its end.",
        discussion: """
            The exit status is 0 when the token validation finished, and 1 when it ended in another way. The command \
            retries while the server restarts; if the server does not respond for too long, or rejects the request, \
            the status is 3.
            """
    )

    @OptionGroup var screening: TokenValidationArguments
    @OptionGroup var patience: RetryTimeoutArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        try await self.server.watch(
            TokenValidationResponse.self,
            self.screening.screening,
            of: self.screening.app,
            patience: self.patience
        )
    }
}

struct TokenValidationPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause a token validation until it is resumed."
    )

    @OptionGroup var screening: TokenValidationArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.screening.steer("pause", self.server) }
}

struct TokenValidationResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume a paused token validation."
    )

    @OptionGroup var screening: TokenValidationArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.screening.steer("resume", self.server) }
}

struct TokenValidationCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel a token validation permanently."
    )

    @OptionGroup var screening: TokenValidationArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.screening.steer("cancel", self.server) }
}
