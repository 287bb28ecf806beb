// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import ArgumentParser
import CommandLineSupport

struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List, create and delete apps, and manage their APNs credentials.",
        subcommands: [AppsListCommand.self, AppsCreateCommand.self, AppsDeleteCommand.self, CredentialCommand.self]
    )
}

struct AppsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the apps; with --json one object per line."
    )

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let client = try self.server.client()
        if self.output.json { return try await client.writeEach(of: "/v1/apps") }
        var table = TextTable(heading: "APP", "NAME", "ENVIRONMENT", "CREATED")
        try await client.each(of: "/v1/apps", as: AppAnswer.self) { app in
            table.add(app.id, app.name, app.defaultEnvironment, app.createdAt)
        }
        table.lines.forEach(Console.out)
    }
}

struct AppsCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Create an app.")

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Option(help: "Display name of the app. Default: the bundle ID.")
    var name: String?

    @Option(help: "APNs environment of devices that register without one: sandbox or production.")
    var environment: APNsEnvironment = .production

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    private struct Body: Encodable {
        let id: String
        let name: String?
        let defaultEnvironment: APNsEnvironment
    }

    func run() async throws {
        let body = Body(id: self.app, name: self.name, defaultEnvironment: self.environment)
        let answer = try await self.server.client().call(.post, "/v1/apps", sending: body)
        if self.output.json { return Console.out(answer.text) }
        let created = try answer.decoded(as: AppAnswer.self)
        Console.out("Created \(created.id). Add a credential next: apus apps credential add \(created.id) --help")
    }
}

struct AppsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an app with its credentials, devices and notifications."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        _ = try await self.server.client().call(.delete, "/v1/apps/\(self.app.asPathSegment)")
        if self.output.json { try Console.json(["deleted": self.app]) } else { Console.out("Deleted \(self.app).") }
    }
}

extension APNsEnvironment: ExpressibleByArgument {}
