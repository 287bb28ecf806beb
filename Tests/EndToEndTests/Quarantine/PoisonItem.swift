// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import PushModel
import PushStore
import SNSProtocol
import StoreTesting
import Testing
import Topics

@testable import apus

/// An item of work that can end processes.
struct PoisonItem: Sendable {
    /// The ID by which `APUS_DEBUG_TRAP` names it.
    let id: String

    /// The path and a part of the response that shows its quarantine; `nil` for a kind without a state.
    var state: (path: String, text: String)?

    /// The request that starts it once more after the repetition; `nil` if that suffices.
    var retry: String?

    /// Whether it was processed.
    let isDone: @Sendable () -> Bool
}

extension PoisonPlace {
    private static let app = "/v1/apps/\(ServerInTest.app)"

    /// Adds an item of a kind that is due at once; its name is part of a path.
    func plant(_ kind: WorkKind, _ name: String, by server: ServerInTest.Running) async throws -> PoisonItem {
        switch kind {
        case .batch: try await self.batch(name, server)
        case .campaign: try await self.campaign(name, server)
        case .rollout: try await self.rollout(name, server)
        case .jobRun: try await self.jobRun(name, server)
        case .webhook: try await self.webhook(name, server)
        case .topicDelivery: try await self.topicDelivery(name)
        case .endpointEvent: try await self.endpointEvent(name)
        case .activity: try await self.activity(name, server)
        }
    }

    // MARK: - To devices

    private func batch(_ name: String, _ server: ServerInTest.Running) async throws -> PoisonItem {
        let device = try await self.device(name, server)
        let token = try #require(self.simulator.device(device)?.token(ServerInTest.app))
        let sent = try await server.send(to: [token.hex])
        let notification = try #require(NotificationID(sent.id))
        var batch: BatchID?
        try await self.server.withStore { batch = try await $0.notification(notification)?.batches.first?.id }
        let id = try #require(batch)
        let path = "\(Self.app)/notifications/\(notification)"
        return PoisonItem(
            id: "\(id)",
            state: (path, #""quarantined":1"#),
            retry: "\(path):resend",
            isDone: self.isNotified(device)
        )
    }

    private func campaign(_ name: String, _ server: ServerInTest.Running) async throws -> PoisonItem {
        let device = try await self.device(name, server)
        let message = #"{"default":{"payload":{"aps":{"alert":"Hello"}}}}"#
        let body = #"{"name":"\#(name)","audience":{"topic":"\#(name)"},"message":\#(message)}"#
        let answer: CampaignResponse = try await self.call(.post, "\(Self.app)/campaigns", body, server).decoded()
        return PoisonItem(
            id: answer.id,
            state: ("\(Self.app)/campaigns/\(answer.id)", #""state":"paused""#),
            isDone: self.isNotified(device)
        )
    }

    private func jobRun(_ name: String, _ server: ServerInTest.Running) async throws -> PoisonItem {
        let device = try await self.device(name, server)
        let path = "\(Self.app)/jobs/\(name)"
        // It runs when it is told to.
        let body = """
            {"schedule":{"cron":"0 9 * * *","timeZone":"UTC"},"paused":true,
             "notification":{"audience":{"topic":"\(name)"},"message":{"default":{"notification":{"title":"Hello"}}}}}
            """
        _ = try await self.call(.put, path, body, server)
        let run: JobResponse.Run = try await server.api.call(.post, "\(path):run").decoded()
        return PoisonItem(
            id: run.id,
            state: ("\(path)/runs", "three processes"),
            retry: "\(path):run",
            isDone: self.isNotified(device)
        )
    }

    private func rollout(_ name: String, _ server: ServerInTest.Running) async throws -> PoisonItem {
        let simulator = self.simulator
        let device = try await self.device(name, server)
        let token = try simulator.issuePushToStartToken("Match", for: ServerInTest.app, on: device)
        let path = "\(Self.app)/devices/\(name)/start-tokens/Match"
        _ = try await self.call(.put, path, #"{"token":"\#(token.hex)"}"#, server)
        let body = """
            {"id":"\(name)","attributesType":"Match","attributes":{},"contentState":{"score":0},
             "alert":{"title":"Final","body":"Kick-off"},"topic":"\(name)"}
            """
        let answer = try await self.call(.post, "\(Self.app)/activities", body, server)
        let rollout = try #require(try answer.decoded(as: ActivityUpdateResponse.self).rollout)
        return PoisonItem(
            id: rollout.id,
            state: ("\(Self.app)/activities/\(name)", "running"),
            isDone: { !simulator.activities(on: device).isEmpty }
        )
    }

    private func activity(_ name: String, _ server: ServerInTest.Running) async throws -> PoisonItem {
        let simulator = self.simulator
        let device = try await self.device(name, server)
        try simulator.changeApp(ServerInTest.app, on: device) { $0.state = .foreground }
        let lesson = try simulator.startActivity(
            ActivityRequest(bundleID: ServerInTest.app, attributesType: "Lesson", contentState: ["n": 0]),
            on: device
        )
        let (id, token) = (lesson.id, try #require(lesson.token))
        let path = "\(Self.app)/activities/\(name)"
        let upload = #"{"token":"\#(token.hex)","attributesType":"Lesson","contentState":{"n":0}}"#
        _ = try await self.call(.put, "\(path)/tokens/\(name)", upload, server)
        let transition = #"{"at":"\#(Date().ISO8601Format())","patch":{"n":1}}"#
        _ = try await self.call(.put, "\(path)/transitions/one", transition, server)
        return PoisonItem(
            id: name,
            state: ("\(path)/timeline", "three processes"),
            isDone: { simulator.activity(id)?.contentState["n"] == .integer(1) }
        )
    }

    /// Boots a device, and registers it under a name that is also its topic.
    private func device(_ name: String, _ server: ServerInTest.Running) async throws -> VirtualDeviceID {
        let device = try self.simulator.bootDevice(apps: [ServerInTest.app])
        let token = try #require(device.token(ServerInTest.app))
        let body = #"{"token":"\#(token.hex)","environment":"sandbox","topics":["\#(name)"]}"#
        _ = try await self.call(.put, "\(Self.app)/devices/\(name)", body, server)
        return device.id
    }

    private func isNotified(_ device: VirtualDeviceID) -> @Sendable () -> Bool {
        let simulator = self.simulator
        return { simulator.device(device)?.notifications.isEmpty == false }
    }

    private func call(
        _ method: HTTPVerb,
        _ path: String,
        _ body: String,
        _ server: ServerInTest.Running
    ) async throws -> APIResponse {
        try await server.api.call(method, path, body: Data(body.utf8))
    }

    // MARK: - To URLs

    private func webhook(_ name: String, _ server: ServerInTest.Running) async throws -> PoisonItem {
        struct Created: Decodable {
            let id: String
        }
        let body = #"{"url":"\#(self.receiver)/\#(name)"}"#
        let webhook: Created = try await self.call(.post, "\(Self.app)/webhooks", body, server).decoded()
        let event = NewEvent(
            app: AppID(unchecked: ServerInTest.app),
            time: Date(),
            kind: EventType(rawValue: "lesson.began"),
            data: ["name": .string(name)]
        )
        try await self.server.withStore { try await $0.append([event]) }
        return PoisonItem(
            id: webhook.id,
            state: ("\(Self.app)/webhooks/\(webhook.id)", #""state":"paused""#),
            isDone: self.isPosted(name)
        )
    }

    private func topicDelivery(_ name: String) async throws -> PoisonItem {
        let content = try HTTPSubscriptionMessage.notification(SNSMessage(text: name)).content
        var subscriptionID: SubscriptionID?
        try await self.server.withStore { store in
            let subscription = try await self.subscribe(to: name, store)
            let message = TopicMessage(
                id: subscription.id.value,
                topic: subscription.topic,
                content: content,
                createdAt: Date()
            )
            try await store.publish(Publication(message: message, recipients: [subscription.id]), noting: nil)
            subscriptionID = subscription.id
        }
        let id = try #require(subscriptionID)
        return PoisonItem(id: "\(id)", isDone: self.isPosted(name))
    }

    /// Adds an endpoint whose creation is published to a topic of its own.
    private func endpointEvent(_ name: String) async throws -> PoisonItem {
        let app = AppID(unchecked: ServerInTest.app)
        // Each application of an environment reports all endpoints of it.
        let environment: APNsEnvironment = name == "poison" ? .sandbox : .production
        let credential = CredentialID(unchecked: name)
        try await self.server.withStore { store in
            _ = try await self.subscribe(to: name, store)
            try await store.putApplication(
                PlatformApplication(
                    name: .init(platform: environment == .sandbox ? "APNS_SANDBOX" : "APNS", text: name),
                    app: app,
                    environment: environment,
                    credential: credential,
                    attributes: ["EventEndpointCreated": Self.arn(of: name)],
                    createdAt: Date()
                ),
                credential: Credential(
                    id: credential,
                    app: app,
                    kind: .key(keyID: "ABCDE12345", teamID: "TEAM123456"),
                    environments: [environment],
                    secret: .sealed([1]),
                    createdAt: Date()
                )
            )
            let endpoint = NewEndpoint(
                container: EndpointContainer(app: app, environment: environment),
                installation: DeviceID(unchecked: name),
                token: try DeviceToken(bytes: (0..<32).map { _ in UInt8.random(in: .min ... .max) })
            )
            _ = try await store.addEndpoint(endpoint, now: Date())
        }
        return PoisonItem(id: name, isDone: self.isPosted(name))
    }

    private static func arn(of topic: String) -> String { "arn:aws:sns:eu-west-1:123456789012:\(topic)" }

    /// Creates a topic, and subscribes the receiver to it.
    private func subscribe(to topic: String, _ store: any PushStore) async throws -> Subscription {
        let name = TopicName(unchecked: topic)
        _ = try await store.createTopic(name, attributes: [:], tags: [:], for: nil, now: Date())
        var subscription = Subscription(
            id: SubscriptionID(now: Date()),
            topic: name,
            subscriber: .url("\(self.receiver)/\(topic)"),
            createdAt: Date()
        )
        HTTPSubscription(topic: try TopicARN(Self.arn(of: topic), region: nil), server: "\(self.receiver)/")
            .write(to: &subscription)
        _ = try await store.subscribe(subscription, policyLimit: 1)
        return subscription
    }

    private func isPosted(_ name: String) -> @Sendable () -> Bool {
        let posts = self.posts
        return { posts.contain("/\(name)") }
    }
}
