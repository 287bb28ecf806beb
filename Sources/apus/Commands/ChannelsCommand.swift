// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct ChannelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "Manage broadcast channels: one push updates the Live Activities of all subscribed devices.",
        subcommands: [ChannelsListCommand.self, ChannelsCreateCommand.self, ChannelsDeleteCommand.self]
    )
}

struct ChannelsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's channels in an environment, including those that only APNs has."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Option(help: "Environment: sandbox or production. Default: that of the app.")
    var environment: APNsEnvironment?

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let query = self.environment.map { "?environment=\($0.rawValue)" } ?? ""
        let path = "/v1/apps/\(self.app.asPathSegment)/channels\(query)"
        let answer = try await self.server.client().call(.get, path)
        if self.server.json { return Console.out(answer.text) }
        let list = try answer.decoded(as: ChannelListResponse.self)
        var table = TextTable(heading: "CHANNEL", "ID", "STORAGE", "STATE", "CREATED")
        for channel in list.channels {
            table.add(
                channel.name,
                channel.id ?? "-",
                channel.messageStoragePolicy,
                channel.standing,
                channel.createdAt
            )
        }
        for id in list.unmanaged ?? [] { table.add("-", id, "-", "unmanaged", "-") }
        table.lines.forEach(Console.out)
        if let error = list.apnsError { Console.note("The channels of APNs are unknown: \(error.detail)") }
    }
}

struct ChannelsCreateCommand: AsyncParsableCommand {
    /// The message storage of a channel for devices that are offline.
    enum Storage: String, ExpressibleByArgument, CaseIterable {
        case none
        case mostRecent = "most_recent"
    }

    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a channel, or name a channel that only APNs has.",
        discussion: """
            apus channels create com.example.app final-2026 --message-storage none
            apus channels create com.example.app found --id dHN0LXNyY2gtY2hubA==
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Name of the channel.")
    var name: String

    @Option(help: "Environment: sandbox or production. Default: that of the app.")
    var environment: APNsEnvironment?

    @Option(help: "Messages that APNs stores for offline devices: most_recent or none. Default: most_recent.")
    var messageStorage: Storage?

    @Option(help: "APNs channel ID of an existing channel.")
    var id: String?

    @OptionGroup var server: ServerArguments

    func run() async throws {
        var members: [String: JSONValue] = ["name": .string(self.name)]
        if let environment { members["environment"] = .string(environment.rawValue) }
        if let messageStorage { members["messageStoragePolicy"] = .string(messageStorage.rawValue) }
        if let id { members["id"] = .string(id) }
        let path = "/v1/apps/\(self.app.asPathSegment)/channels"
        let body = Data(try JSONValue.object(members).json())
        try await self.server.call(.post, path, body: body) { (channel: NamedChannelResponse) in
            "Created \(channel.name) in \(channel.environment): \(channel.id ?? "-")"
        }
    }
}

struct ChannelsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a channel at APNs and on the server."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Name of the channel.")
    var name: String

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/channels/\(self.name.asPathSegment)"
        try await self.server.delete(path, result: ["deleted": self.name], words: "Deleted \(self.name).")
    }
}
