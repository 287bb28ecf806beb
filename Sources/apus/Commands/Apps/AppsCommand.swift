// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import ArgumentParser
import CommandLineSupport
import Foundation

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

    func run() async throws {
        try await self.server.list("/v1/apps", ["APP", "NAME", "ENVIRONMENT", "CREATED"]) { (app: AppResponse) in
            [app.id, app.name, app.defaultEnvironment, app.createdAt]
        }
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

    private struct Body: Encodable {
        let id: String
        let name: String?
        let defaultEnvironment: APNsEnvironment
    }

    func run() async throws {
        let body = Body(id: self.app, name: self.name, defaultEnvironment: self.environment)
        try await self.server.call(.post, "/v1/apps", body: JSON.encoder.encode(body)) { (app: AppResponse) in
            "Created \(app.id). Add a credential next: apus apps credential add \(app.id) --help"
        }
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

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)"
        try await self.server.delete(path, result: ["deleted": self.app], words: "Deleted \(self.app).")
    }
}

extension APNsEnvironment: ExpressibleByArgument {}
