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

    func run() async throws {
        guard let topic else { return try await self.listTopics() }
        let path = "\(TopicsCommand.path(self.app, topic))/subscriptions"
        try await self.server.list(path, ["SUBSCRIPTION", "SUBSCRIBER", "FILTER", "SINCE"]) {
            (line: SubscriptionResponse) in
            [line.id, line.subscriber, line.filterScope.map { "on \($0)" } ?? "-", line.createdAt]
        }
    }

    private func listTopics() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/topics"
        try await self.server.list(path, ["TOPIC", "NAME", "TAGS", "CREATED"]) { (topic: TopicResponse) in
            let tags = topic.tags.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            return [topic.name, topic.displayName ?? "-", tags.isEmpty ? "-" : tags, topic.createdAt]
        }
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

    func validate() throws {
        for tag in self.tag where !tag.contains("=") {
            throw ValidationError("--tag: expected KEY=VALUE, got '\(tag)'.")
        }
    }

    func run() async throws {
        var members: [String: JSONValue] = [:]
        if let displayName { members["displayName"] = .string(displayName) }
        var tags: [String: JSONValue] = [:]
        for (key, value) in self.tag.compactMap(\.assignment) { tags[key] = .string(value) }
        if !tags.isEmpty { members["tags"] = .object(tags) }
        let body = Data(try JSONValue.object(members).json())
        try await self.server.call(.put, TopicsCommand.path(self.app, self.name), body: body) {
            (topic: TopicResponse) in
            "\(self.app) has topic \(topic.name)."
        }
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

    func run() async throws {
        let path = TopicsCommand.path(self.app, self.name)
        try await self.server.delete(path, result: ["deleted": self.name], words: "Deleted \(self.name).")
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

    @Option(help: "Filter policy: which messages the subscriber receives, \(JSONArgument.form). Default: all.")
    var filter: String?

    @Option(help: "Part of the message that the filter policy matches: attributes or payload. Default: attributes.")
    var filterScope: Scope?

    @OptionGroup var server: ServerArguments

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
            members["filter"] = try JSONValue(json: JSONArgument.fragment(filter, of: "--filter").bytes)
        }
        let path = "\(TopicsCommand.path(self.app, self.topic))/subscriptions"
        let body = Data(try JSONValue.object(members).json())
        try await self.server.call(.post, path, body: body) { (subscription: SubscriptionResponse) in
            "Subscribed \(subscription.subscriber) to \(subscription.topic): \(subscription.id)"
        }
    }
}

struct TopicsUnsubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "unsubscribe", abstract: "End a subscription.")

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "ID of the subscription.")
    var subscription: String

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/subscriptions/\(self.subscription.asPathSegment)"
        let words = "Ended \(self.subscription)."
        try await self.server.delete(path, result: ["deleted": self.subscription], words: words)
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

    @Option(help: "Message attributes, which filter policies match, \(JSONArgument.form).")
    var attributes: String?

    @OptionGroup(title: "What") var content: ContentArguments

    @OptionGroup var server: ServerArguments

    func validate() throws {
        guard !JSONArgument.readsStandardInput(self.attributes) || self.content.payload != "-" else {
            throw ValidationError("--attributes and --payload cannot both be read from standard input.")
        }
    }

    func run() async throws {
        var others: [String: [UInt8]] = [:]
        if let attributes { others["attributes"] = try JSONArgument.fragment(attributes, of: "--attributes").bytes }
        let body = try self.content.request(targets: nil, others: others)
        let path = "\(TopicsCommand.path(self.app, self.topic))/notifications"
        let answer = try await self.server.client().call(.post, path, body: body)
        if self.server.json { return Console.out(answer.text) }
        let publication = try answer.decoded(as: PublicationResponse.self)
        if let notification = publication.notification {
            Console.out("Sending to \(notification.targetCount) devices as \(notification.id).")
        } else if let campaign = publication.campaign {
            Console.out("Sending as campaign \(campaign.id); see 'apus campaign watch'.")
        } else {
            Console.out("No subscriber receives this message.")
        }
    }
}
