// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import Foundation

/// Subscribes a device or a user to a topic.
struct TopicsSubscribeCommand: AsyncParsableCommand {
    /// What a filter looks at.
    enum Scope: String, ExpressibleByArgument, CaseIterable {
        case attributes, payload
    }

    static let configuration = CommandConfiguration(
        commandName: "subscribe",
        abstract: "Subscribe a device or a user to a topic, or change what it wants of it.",
        discussion: """
            apus topics subscribe com.example.app match-17 --user anna
            apus topics subscribe com.example.app match-17 --device phone --filter '{"kind": ["goal"]}'
            """
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The topic's name.")
    var topic: String

    @Option(help: "The device.")
    var device: String?

    @Option(help: "The user, on whichever devices.")
    var user: String?

    @Option(help: "Which messages are wanted, \(JSONObjectInput.form). Default: all.")
    var filter: String?

    @Option(help: "What the filter looks at: attributes or payload. Default: attributes.")
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

/// Ends a subscription.
struct TopicsUnsubscribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "unsubscribe", abstract: "End a subscription.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The id of the subscription.")
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

/// Publishes to a topic.
struct TopicsPublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish to an app's subscribers of a topic.",
        discussion: """
            apus topics publish com.example.app match-17 --attributes '{"kind": "goal"}' --title 1:0
            """
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The topic's name.")
    var topic: String

    @Option(help: "What filters look at, \(JSONObjectInput.form).")
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
            Console.out("Nobody is subscribed who wants it.")
        }
    }
}
