// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

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

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/devices"
        let heading = ["DEVICE", "TOKEN", "ENVIRONMENT", "USER", "STATUS", "REGISTERED"]
        try await self.server.list(path, heading) { (device: DeviceResponse) in
            [
                device.device, "\(device.token.prefix(8))...", device.environment, device.userID ?? "-",
                device.status.summary, device.registeredAt,
            ]
        }
    }
}

extension DeviceResponse.Status {
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
    var device: String

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
        let tags = self.tag.compactMap(\.assignment)
        let body = Body(
            token: self.token,
            environment: self.environment,
            userID: self.user,
            tags: tags.isEmpty ? nil : Dictionary(tags) { $1 },
            topics: self.topic.isEmpty ? nil : self.topic
        )
        let path = "/v1/apps/\(self.app.asPathSegment)/devices/\(self.device.asPathSegment)"
        try await self.server.call(.put, path, body: JSON.encoder.encode(body)) { (device: DeviceResponse) in
            "Registered \(device.device) of \(self.app): \(device.environment), \(device.status.state)."
        }
    }
}

struct DevicesDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Remove a device of an app.")

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Device ID.")
    var device: String

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/devices/\(self.device.asPathSegment)"
        let words = "Removed \(self.device) of \(self.app)."
        try await self.server.delete(path, result: ["deleted": self.device], words: words)
    }
}
