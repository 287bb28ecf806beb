// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser

/// Creates an app.
struct AppsCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "create", abstract: "Create an app.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "What people call it. Default: the bundle identifier.")
    var name: String?

    @Option(help: "The APNs environment of devices that name none: sandbox or production.")
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
        Console.out("Created \(created.id). Give it a credential next: apus apps credential add \(created.id) --help")
    }
}
