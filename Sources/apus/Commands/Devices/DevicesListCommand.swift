// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Lists the devices of an app.
struct DevicesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's devices; with --json one object a line."
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        var table = TextTable(heading: "INSTALLATION", "TOKEN", "ENVIRONMENT", "USER", "STATUS", "REGISTERED")
        let path = "/v1/apps/\(self.app.asPathSegment)/devices"
        try await self.server.client().each(of: path, as: DeviceAnswer.self) { device in
            if self.output.json { return try Console.json(device) }
            table.add(
                device.installation,
                "\(device.token.prefix(8))...",
                device.environment,
                device.userID ?? "-",
                device.status.summary,
                device.registeredAt
            )
        }
        if !self.output.json { table.lines.forEach(Console.out) }
    }
}

extension DeviceAnswer.Status {
    /// State and reason in a few words.
    var summary: String { self.reason.map { "\(self.state) (\($0))" } ?? self.state }
}
