// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
import PushModel
import PushStore
import SNSProtocol
import Topics

/// Publishes messages to topics: for each app with the topic, the message of each platform of its applications.
struct SNSTopicPublisher: Sendable {
    let store: any PlatformStore & TopicStore
    let publisher: TopicPublisher
    let limits: SNSLimits
    let metrics: AcceptanceMetrics
    let logger: Logger
    let now: @Sendable () -> Date

    func publish(_ parameters: MessageParameters, to arn: TopicARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        let topic = try await self.store.topic(of: arn, caller)
        let message = try parameters.message(to: .topic(arn), limits: self.limits)
        return .published(messageID: try await self.publish(message, to: topic, of: caller.key.app))
    }

    /// `PublishBatch`: a malformed entry has failed all of them before the first is published.
    func publish(_ request: PublishBatchRequest, _ caller: SNSPrincipal) async throws -> SNSResult {
        let topic = try await self.store.topic(of: request.topic, caller)
        var successful: [SNSResult.PublishedEntry] = []
        var failed: [SNSResult.FailedEntry] = []
        for (id, message) in try request.messages(limits: self.limits) {
            do {
                let messageID = try await self.publish(message, to: topic, of: caller.key.app)
                successful.append(SNSResult.PublishedEntry(id: id, messageID: messageID))
            } catch let error as SNSError {
                failed.append(SNSResult.FailedEntry(id: id, error: error))
            } catch let error as StoreError where !successful.isEmpty {
                // Published messages stay published: a caller that repeats the batch would publish them twice.
                let failure = SNSError(.internalError, "The message could not be stored (\(error.code.rawValue)).")
                failed.append(SNSResult.FailedEntry(id: id, error: failure))
            }
        }
        return .publishedBatch(successful: successful, failed: failed)
    }

    /// Publishes a message; it is stored durably when this returns.
    ///
    /// Only the subscribers of `app` get it; `nil` sends it to the subscribers of all apps.
    /// - Returns: the message's id; by that of a single notification it is looked up with the app's other ones.
    /// - Throws: `SNSError`, `StoreError`.
    func publish(_ message: SNSMessage, to topic: PushTopic, of app: AppID?) async throws -> String {
        try APNsMessage.checkSharedAttributes(of: message)
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let draft = PublicationDraft(
            topic: topic.name,
            app: app,
            attributes: message.attributes,
            body: message.text,
            urlContent: { try HTTPSubscriptionMessage.notification(message).content }
        ) { apps in
            var contents: [AppMessage] = []
            for app in apps { contents += try await self.contents(of: message, for: app, now: now) }
            return contents
        }
        guard let receipt = try await self.publisher.publish(draft, now: now) else { throw TopicDescription.notFound }
        for case .notification(_, let batches) in receipt.parts { self.metrics.count(batches) }
        self.metrics.countFullQueues(receipt.fullQueues)
        return (receipt.notifications.first ?? receipt.message ?? NotificationID(now: now)).description
    }

    /// Returns the messages to the devices of an app, one for each environment and platform; none if the message
    /// violates an APNs rule.
    private func contents(of message: SNSMessage, for app: AppID, now: Date) async throws -> [AppMessage] {
        let applications = try await self.store.applications(of: app, after: nil, limit: 1000).elements
        return APNsEnvironment.allCases.flatMap { environment in
            Self.containers(of: applications, in: environment).compactMap { platform, containers in
                do {
                    return try self.content(
                        of: message,
                        for: app,
                        to: .and([.environment(environment), .or(containers.map(Audience.container))]),
                        platform: platform,
                        now: now
                    )
                } catch {
                    self.note(error, app: app, platform: platform)
                    return nil
                }
            }
        }
    }

    /// The containers of enabled applications by platform.
    ///
    /// The app's own devices are sent to without an application too, but not if it is disabled.
    private static func containers(
        of applications: [PlatformApplication],
        in environment: APNsEnvironment
    ) -> [(platform: SNSPlatform, containers: [String])] {
        let own = applications.filter { $0.environment == environment }
        var platforms: [String: SNSPlatform] = [:]
        for application in own where application.isEnabled && platforms[application.container] == nil {
            platforms[application.container] = SNSPlatform(rawValue: application.name.platform)
        }
        if !own.contains(where: { $0.container.isEmpty }) {
            platforms[""] = environment == .production ? .apns : .apnsSandbox
        }
        return Dictionary(grouping: platforms.keys.sorted()) { platforms[$0] ?? .apns }
            .map { ($0.key, $0.value) }.sorted { $0.0.rawValue < $1.0.rawValue }
    }

    private func content(
        of message: SNSMessage,
        for app: AppID,
        to audience: Audience,
        platform: SNSPlatform,
        now: Date
    ) throws -> AppMessage {
        let push = try APNsMessage(
            message,
            platform: platform,
            bundleID: platform.bundleID(of: app),
            publishedAt: now.millisecondsSince1970 / 1000
        )
        return try AppMessage(
            app: app,
            audience: audience,
            headers: push.headers,
            payload: push.payload,
            expiresAt: push.headers.expiresAt(now: now),
            now: now
        )
    }

    /// Logs skipped subscribers for the operator: the publisher gets no error, because others may receive the message.
    private func note(_ error: any Error, app: AppID, platform: SNSPlatform) {
        let reason = (error as? SNSError)?.message ?? (error as? InvalidValueError)?.message ?? "\(error)"
        self.metrics.countSkippedApp(platform.rawValue)
        self.logger.notice(
            "Skipped an app: the message violates an APNs rule",
            metadata: ["app": "\(app)", "sns.platform": "\(platform.rawValue)", "sns.reason": "\(reason)"]
        )
    }
}
