// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List, register, import, export and delete an app's devices.",
        subcommands: [
            DevicesListCommand.self, DevicesPutCommand.self, DevicesImportCommand.self, DevicesExportCommand.self,
            DevicesDeleteCommand.self,
        ]
    )
}

struct DevicesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's devices; with --json one object per line."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let client = try self.server.client()
        let path = "/v1/apps/\(self.app.asPathSegment)/devices"
        if self.output.json { return try await client.writeEach(of: path) }
        var table = TextTable(heading: "INSTALLATION", "TOKEN", "ENVIRONMENT", "USER", "STATUS", "REGISTERED")
        try await client.each(of: path, as: DeviceAnswer.self) { device in
            table.add(
                device.installation,
                "\(device.token.prefix(8))...",
                device.environment,
                device.userID ?? "-",
                device.status.summary,
                device.registeredAt
            )
        }
        table.lines.forEach(Console.out)
    }
}

extension DeviceAnswer.Status {
    var summary: String { self.reason.map { "\(self.state) (\($0))" } ?? self.state }
}

struct DevicesPutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Register a device, as its app does at every launch."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Device ID.")
    var installation: String

    @Option(help: "Device token, hexadecimal.")
    var token: String

    @Option(help: "APNs environment of the token: sandbox or production. Default: that of the app.")
    var environment: APNsEnvironment?

    @Option(help: "User who is signed in.")
    var user: String?

    @Option(help: "Tag as name=value. Repeatable.")
    var tag: [String] = []

    @Option(help: "Topic that the device is subscribed to. Repeatable.")
    var topic: [String] = []

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    private struct Body: Encodable {
        let token: String
        let environment: APNsEnvironment?
        let userID: String?
        let tags: [String: String]?
        let topics: [String]?
    }

    func validate() throws {
        guard self.tag.allSatisfy({ $0.dropFirst().contains("=") }) else {
            throw ValidationError("--tag: expected name=value.")
        }
    }

    func run() async throws {
        let tags = self.tag.map { tag in
            let parts = tag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts[1]))
        }
        let body = Body(
            token: self.token,
            environment: self.environment,
            userID: self.user,
            tags: tags.isEmpty ? nil : Dictionary(tags) { $1 },
            topics: self.topic.isEmpty ? nil : self.topic
        )
        let path = "/v1/apps/\(self.app.asPathSegment)/devices/\(self.installation.asPathSegment)"
        let answer = try await self.server.client().call(.put, path, sending: body)
        if self.output.json { return Console.out(answer.text) }
        let device = try answer.decoded(as: DeviceAnswer.self)
        Console.out("Registered \(device.installation) of \(self.app): \(device.environment), \(device.status.state).")
    }
}

struct DevicesDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Remove a device of an app.")

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Device ID.")
    var installation: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/devices/\(self.installation.asPathSegment)"
        _ = try await self.server.client().call(.delete, path)
        if self.output.json {
            try Console.json(["deleted": self.installation])
        } else {
            Console.out("Removed \(self.installation) of \(self.app).")
        }
    }
}
