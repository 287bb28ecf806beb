// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import Foundation

/// The commands about topics.
struct TopicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Topics: what devices and users are subscribed to, and what is published to them.",
        subcommands: [
            TopicsListCommand.self, TopicsCreateCommand.self, TopicsDeleteCommand.self, TopicsSubscribeCommand.self,
            TopicsUnsubscribeCommand.self, TopicsPublishCommand.self,
        ]
    )

    /// The path of a topic.
    static func path(_ app: String, _ topic: String) -> String {
        "/v1/apps/\(app.asPathSegment)/topics/\(topic.asPathSegment)"
    }
}

/// Lists the topics of an app, or what is subscribed to one.
struct TopicsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's topics, or what is subscribed to one of them."
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "A topic, of which the subscriptions are listed. Default: the topics themselves.")
    var topic: String?

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        guard let topic else { return try await self.listTopics() }
        var table = TextTable(heading: "SUBSCRIPTION", "SUBSCRIBER", "FILTER", "SINCE")
        let path = "\(TopicsCommand.path(self.app, topic))/subscriptions"
        if self.output.json {
            return try await self.server.client().each(of: path, as: JSONValue.self) { try Console.json($0) }
        }
        try await self.server.client().each(of: path, as: SubscriptionAnswer.self) { subscription in
            let filter = subscription.filterScope.map { "on \($0)" } ?? "-"
            table.add(subscription.id, subscription.subscriber, filter, subscription.createdAt)
        }
        table.lines.forEach(Console.out)
    }

    private func listTopics() async throws {
        var table = TextTable(heading: "TOPIC", "NAME", "TAGS", "CREATED")
        let path = "/v1/apps/\(self.app.asPathSegment)/topics"
        try await self.server.client().each(of: path, as: TopicAnswer.self) { topic in
            if self.output.json { return try Console.json(topic) }
            let tags = topic.tags.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            table.add(topic.name, topic.displayName ?? "-", tags.isEmpty ? "-" : tags, topic.createdAt)
        }
        if !self.output.json { table.lines.forEach(Console.out) }
    }
}

/// Makes a topic.
struct TopicsCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a topic, or change the name that is shown of it and its tags."
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The topic's name: letters, digits, - and _.")
    var name: String

    @Option(help: "What people call it.")
    var displayName: String?

    @Option(help: "A label, as KEY=VALUE; may be repeated.")
    var tag: [String] = []

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        for tag in self.tag where !tag.contains("=") {
            throw ValidationError("--tag has to be KEY=VALUE; got '\(tag)'.")
        }
    }

    func run() async throws {
        var members: [String: JSONValue] = [:]
        if let displayName { members["displayName"] = .string(displayName) }
        var tags: [String: JSONValue] = [:]
        for tag in self.tag {
            let parts = tag.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            tags[String(parts[0])] = .string(String(parts[1]))
        }
        if !tags.isEmpty { members["tags"] = .object(tags) }
        let body = Data(try JSONValue.object(members).json())
        let answer = try await self.server.client().call(.put, TopicsCommand.path(self.app, self.name), body: body)
        if self.output.json { return Console.out(answer.text) }
        Console.out("\(self.app) has topic \(try answer.decoded(as: TopicAnswer.self).name).")
    }
}

/// Deletes a topic for an app.
struct TopicsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a topic for an app, with all of the app that is subscribed to it."
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The topic's name.")
    var name: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        _ = try await self.server.client().call(.delete, TopicsCommand.path(self.app, self.name))
        if self.output.json { try Console.json(["deleted": self.name]) } else { Console.out("Deleted \(self.name).") }
    }
}
