// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct TopicsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "Manage topics, subscribe devices and users to them, and publish messages.",
        subcommands: [
            TopicsListCommand.self, TopicsCreateCommand.self, TopicsDeleteCommand.self, TopicsSubscribeCommand.self,
            TopicsUnsubscribeCommand.self, TopicsPublishCommand.self,
        ]
    )

    static func path(_ app: String, _ topic: String) -> String {
        "/v1/apps/\(app.asPathSegment)/topics/\(topic.asPathSegment)"
    }
}

struct TopicsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's topics, or the subscriptions of a topic."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Topic whose subscriptions are listed. Default: the topics themselves.")
    var topic: String?

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let client = try self.server.client()
        guard let topic else { return try await self.listTopics(client) }
        let path = "\(TopicsCommand.path(self.app, topic))/subscriptions"
        if self.output.json { return try await client.writeEach(of: path) }
        var table = TextTable(heading: "SUBSCRIPTION", "SUBSCRIBER", "FILTER", "SINCE")
        try await client.each(of: path, as: SubscriptionAnswer.self) { subscription in
            let filter = subscription.filterScope.map { "on \($0)" } ?? "-"
            table.add(subscription.id, subscription.subscriber, filter, subscription.createdAt)
        }
        table.lines.forEach(Console.out)
    }

    private func listTopics(_ client: APIClient) async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/topics"
        if self.output.json { return try await client.writeEach(of: path) }
        var table = TextTable(heading: "TOPIC", "NAME", "TAGS", "CREATED")
        try await client.each(of: path, as: TopicAnswer.self) { topic in
            let tags = topic.tags.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            table.add(topic.name, topic.displayName ?? "-", tags.isEmpty ? "-" : tags, topic.createdAt)
        }
        table.lines.forEach(Console.out)
    }
}

struct TopicsCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a topic, or change its display name and tags."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Name of the topic: letters, digits, - and _.")
    var name: String

    @Option(help: "Display name of the topic.")
    var displayName: String?

    @Option(help: "Tag as KEY=VALUE. Repeatable.")
    var tag: [String] = []

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        for tag in self.tag where !tag.contains("=") {
            throw ValidationError("--tag: expected KEY=VALUE, got '\(tag)'.")
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

struct TopicsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a topic of an app, with the app's subscriptions to it."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Name of the topic.")
    var name: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        _ = try await self.server.client().call(.delete, TopicsCommand.path(self.app, self.name))
        if self.output.json { try Console.json(["deleted": self.name]) } else { Console.out("Deleted \(self.name).") }
    }
}

struct TopicsSubscribeCommand: AsyncParsableCommand {
    /// The part of a message that a filter policy matches.
    enum Scope: String, ExpressibleByArgument, CaseIterable {
        case attributes, payload
    }

    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Subscribe a device or a user to a topic, or change the filter policy of the subscription.",
        discussion: """
            apus topics subscribe com.example.app match-17 --user anna
            apus topics subscribe com.example.app match-17 --device phone --filter '{"kind": ["goal"]}'
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Name of the topic.")
    var topic: String

    @Option(help: "Device ID.")
    var device: String?

    @Option(help: "User: subscribes all devices of the user.")
    var user: String?

    @Option(help: "Filter policy: which messages the subscriber receives, \(JSONObjectInput.form). Default: all.")
    var filter: String?

    @Option(help: "Part of the message that the filter policy matches: attributes or payload. Default: attributes.")
    var filterScope: Scope?

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (self.device == nil) != (self.user == nil) else {
            throw ValidationError("Give either --device or --user.")
        }
    }

    func run() async throws {
        var members: [String: JSONValue] = [:]
        if let device { members["device"] = .string(device) }
        if let user { members["user"] = .string(user) }
        if let filterScope { members["filterScope"] = .string(filterScope.rawValue) }
        if let filter {
            members["filter"] = try JSONValue(json: JSONObjectInput.fragment(filter, of: "--filter").bytes)
        }
        let path = "\(TopicsCommand.path(self.app, self.topic))/subscriptions"
        let body = Data(try JSONValue.object(members).json())
        let answer = try await self.server.client().call(.post, path, body: body)
        if self.output.json { return Console.out(answer.text) }
        let subscription = try answer.decoded(as: SubscriptionAnswer.self)
        Console.out("Subscribed \(subscription.subscriber) to \(subscription.topic): \(subscription.id)")
    }
}

struct TopicsUnsubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "unsubscribe", abstract: "End a subscription.")

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "ID of the subscription.")
    var subscription: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/subscriptions/\(self.subscription.asPathSegment)"
        _ = try await self.server.client().call(.delete, path)
        if self.output.json {
            try Console.json(["deleted": self.subscription])
        } else {
            Console.out("Ended \(self.subscription).")
        }
    }
}

struct TopicsPublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish a message to an app's subscribers of a topic.",
        discussion: """
            apus topics publish com.example.app match-17 --attributes '{"kind": "goal"}' --title 1:0
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Name of the topic.")
    var topic: String

    @Option(help: "Message attributes, which filter policies match, \(JSONObjectInput.form).")
    var attributes: String?

    @OptionGroup(title: "What") var content: ContentArguments

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard !JSONObjectInput.readsStandardInput(self.attributes) || self.content.payload != "-" else {
            throw ValidationError("--attributes and --payload cannot both be read from standard input.")
        }
    }

    func run() async throws {
        var others: [String: [UInt8]] = [:]
        if let attributes { others["attributes"] = try JSONObjectInput.fragment(attributes, of: "--attributes").bytes }
        let body = try self.content.request(targets: nil, others: others)
        let path = "\(TopicsCommand.path(self.app, self.topic))/notifications"
        let answer = try await self.server.client().call(.post, path, body: body)
        if self.output.json { return Console.out(answer.text) }
        let publication = try answer.decoded(as: PublicationAnswer.self)
        if let notification = publication.notification {
            Console.out("Sending to \(notification.targetCount) devices as \(notification.id).")
        } else if let campaign = publication.campaign {
            Console.out("Sending as campaign \(campaign.id); see 'apus campaign watch'.")
        } else {
            Console.out("No subscriber receives this message.")
        }
    }
}
