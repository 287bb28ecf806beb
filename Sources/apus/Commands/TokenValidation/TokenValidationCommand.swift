// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct TokenValidationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Validate device tokens with silent pushes: find unregistered tokens, and tokens of the other "
            + "environment.",
        discussion: """
            apus tokens validate com.example.app --duration 3600 --fix-environment --watch
            """,
        subcommands: [
            TokenValidationStartCommand.self, TokenValidationListCommand.self, TokenValidationWatchCommand.self,
            TokenValidationPauseCommand.self,
            TokenValidationResumeCommand.self, TokenValidationCancelCommand.self,
        ]
    )
}

/// The token validation that a command works on.
struct TokenValidationArguments: ParsableArguments {
    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "ID of the token validation, as `apus tokens list` shows it.")
    var validation: String

    var path: String { "/v1/apps/\(self.app.asPathSegment)/token-validations/\(self.validation.asPathSegment)" }

    /// Sends a control request, and prints the state of the token validation in the response.
    func steer(_ verb: String, _ server: ServerArguments) async throws {
        try await server.call(.post, "\(self.path):\(verb)") { (validation: TokenValidationResponse) in
            "\(validation.name) is \(validation.state): \(validation.summary)"
        }
    }
}

struct TokenValidationStartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Start a token validation of an app's devices.",
        discussion: """
            With --watch, the exit status is 0 if the token validation completed. 3 means that it was created, but \
            watching ended early. 1 means that it ended in another way, or that the server did not confirm its \
            creation.
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Option(help: "Duration in seconds; pushes are spread evenly over it. 0 sends without a rate limit.")
    var duration = 3600

    @Option(help: "Audience expression as JSON. Default: all devices.")
    var audience: String?

    @Flag(help: "Fix the environment of devices whose token belongs to the other one.")
    var fixEnvironment = false

    @Option(help: "Start of the token validation, such as 2036-03-20T01:00:00Z. Default: now.")
    var startAt: String?

    @Option(help: "Display name of the token validation.")
    var name: String?

    @Flag(help: "Watch the token validation until its end.")
    var watch = false

    @OptionGroup var retryTimeout: RetryTimeoutArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/token-validations"
        let answer = try await self.server.client().call(.post, path, body: try self.request())
        let validation = try answer.decoded(as: TokenValidationResponse.self)
        if self.server.json {
            Console.out(answer.text)
        } else {
            Console.out("Created \(validation.id): \(validation.state).")
        }
        guard self.watch else { return }
        try await self.server.watch(
            TokenValidationResponse.self,
            validation.id,
            of: self.app,
            isMade: true,
            retryTimeout: self.retryTimeout
        )
    }

    private func request() throws -> Data {
        var members: [String: JSONValue] = [
            "durationSeconds": .integer(Int64(self.duration)), "fixEnvironment": .bool(self.fixEnvironment),
        ]
        if let name { members["name"] = .string(name) }
        if let startAt { members["startAt"] = .string(startAt) }
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
        let path = "/v1/apps/\(self.app.asPathSegment)/token-validations"
        try await self.server.list(path, ["VALIDATION", "STATE", "CREATED", "FOUND"]) {
            (validation: TokenValidationResponse) in
            [validation.id, validation.state, validation.createdAt, validation.summary]
        }
    }
}

struct TokenValidationWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch a token validation until its end.",
        discussion: """
            The exit status is 0 when the token validation completed, and 1 when it ended in another way. The command \
            retries while the server restarts; if the server does not respond for too long, or rejects the request, \
            the status is 3.
            """
    )

    @OptionGroup var validation: TokenValidationArguments
    @OptionGroup var retryTimeout: RetryTimeoutArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        try await self.server.watch(
            TokenValidationResponse.self,
            self.validation.validation,
            of: self.validation.app,
            retryTimeout: self.retryTimeout
        )
    }
}

struct TokenValidationPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause a token validation until it is resumed."
    )

    @OptionGroup var validation: TokenValidationArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.validation.steer("pause", self.server) }
}

struct TokenValidationResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume a paused token validation."
    )

    @OptionGroup var validation: TokenValidationArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.validation.steer("resume", self.server) }
}

struct TokenValidationCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel a token validation permanently."
    )

    @OptionGroup var validation: TokenValidationArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.validation.steer("cancel", self.server) }
}
