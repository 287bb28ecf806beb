// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import ArgumentParser
import CommandLineSupport
import Foundation

struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List, create, change and delete apps, and manage their APNs credentials.",
        subcommands: [
            AppsListCommand.self, AppsCreateCommand.self, AppsUpdateCommand.self, AppsDeleteCommand.self,
            CredentialCommand.self,
        ]
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

    @OptionGroup var installations: InstallationArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        var body = self.installations.body
        (body.id, body.name, body.defaultEnvironment) = (self.app, self.name, self.environment)
        try await self.server.call(.post, "/v1/apps", body: JSON.encoder.encode(body)) { (app: AppResponse) in
            "Created \(app.id). Add a credential next: apus apps credential add \(app.id) --help"
        }
    }
}

struct AppsUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change settings of an app; those without an option stay.",
        discussion: """
            apus apps update com.example.app --installation-secrets required --bind-until 2026-12-31T00:00:00Z
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Option(help: "Display name of the app.")
    var name: String?

    @Option(help: "APNs environment of devices that register without one: sandbox or production.")
    var environment: APNsEnvironment?

    @OptionGroup var installations: InstallationArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        var body = self.installations.body
        (body.name, body.defaultEnvironment) = (self.name, self.environment)
        let path = "/v1/apps/\(self.app.asPathSegment)"
        try await self.server.call(.patch, path, body: JSON.encoder.encode(body)) { (app: AppResponse) in
            "Changed \(app.id): installation secrets \(app.installationSecrets), activity joins \(app.activityJoins)."
        }
    }
}

/// The rights of the copies of an app, which all have the same client key.
struct InstallationArguments: ParsableArguments {
    enum Secrets: String, ExpressibleByArgument, CaseIterable { case optional, required }
    enum Joins: String, ExpressibleByArgument, CaseIterable { case any, named }
    enum Attestation: String, ExpressibleByArgument, CaseIterable { case off, report, required }

    @Option(
        help: ArgumentHelp(
            "Secrets of installations with a client key: required or optional. Default of a new app: required.",
            discussion: """
                required: each request with a client key presents the secret of its installation (ApusKit does so).
                optional: also clients without a secret may register. A device that has a secret needs it in both modes.
                """
        )
    )
    var installationSecrets: Secrets?

    @Option(
        help: """
            Time (RFC 3339) until which, in the mode required, the first secret binds a device that has none: for an app \
            whose devices registered before.
            """
    )
    var bindUntil: String?

    @Option(
        help: ArgumentHelp(
            "Activities that an installation may join with a client key: named or any. Default of a new app: named.",
            discussion: """
                named: those that it created, that were started on it by a push, or that name it or its user.
                any: all whose ID it knows.
                """
        )
    )
    var activityJoins: Joins?

    @Option(
        help: """
            Whether a client key registers a new device only with an attestation of App Attest: off, report (count the \
            results) or required. Default of a new app: off.
            """
    )
    var attestation: Attestation?

    @Option(help: "App ID prefix for App Attest. Default: the team of the app's APNs key.")
    var teamID: String?

    struct Body: Encodable {
        var id: String?
        var name: String?
        var defaultEnvironment: APNsEnvironment?
        let installationSecrets: String?
        let installationsBindUntil: String?
        let activityJoins: String?
        let attestation: String?
        let teamID: String?
    }

    var body: Body {
        Body(
            installationSecrets: self.installationSecrets?.rawValue,
            installationsBindUntil: self.bindUntil,
            activityJoins: self.activityJoins?.rawValue,
            attestation: self.attestation?.rawValue,
            teamID: self.teamID
        )
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
