// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SNSProtocol

/// The operations that send messages.
struct SNSPublishHandler: Sendable {
    let directory: SNSResourceResolver
    let topics: SNSTopicPublisher
    let limits: SNSLimits
    let metrics: AcceptanceMetrics
    let now: @Sendable () -> Date

    /// `Publish`: the message is stored durably when this returns.
    func publish(_ request: PublishRequest, _ caller: SNSPrincipal) async throws -> SNSResult {
        switch request.target {
        case .endpoint(let arn):
            let id = try await self.publish(request.parameters, to: arn, caller)
            return .published(messageID: id.description)
        case .topic(let arn): return try await self.topics.publish(request.parameters, to: arn, caller)
        }
    }

    /// `PublishBatch`, which is for topics alone.
    func publish(_ request: PublishBatchRequest, _ caller: SNSPrincipal) async throws -> SNSResult {
        try await self.topics.publish(request, caller)
    }

    /// Sends a message to one device.
    ///
    /// It finds the recipient before it validates the message.
    private func publish(
        _ parameters: MessageParameters,
        to arn: EndpointARN,
        _ caller: SNSPrincipal
    ) async throws -> NotificationID {
        guard let (application, endpoint) = try await self.directory.endpoint(arn, for: .publish, caller) else {
            throw EndpointAttributes.notFoundAsTarget
        }
        guard application.isEnabled else { throw ApplicationAttributes.disabled }
        guard endpoint.status.isEnabled else { throw EndpointAttributes.disabled }
        let message = try parameters.message(to: .endpoint(arn), limits: self.limits)
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let platform = arn.application.platform
        let push = try APNsMessage(
            message,
            platform: platform,
            bundleID: platform.bundleID(of: application.app),
            publishedAt: now.millisecondsSince1970 / 1000
        )
        let plan = try BatchedNotification(
            app: application.app,
            lane: .urgent,
            headers: push.headers,
            payload: push.payload,
            targets: [endpoint.target],
            expiresAt: push.headers.expiresAt(now: now),
            now: now
        )
        let isWatched = application.attributes[StoredEndpointEvent.Kind.failed.rawValue] != nil
        try await self.metrics.accept(
            plan,
            noting: isWatched
                ? .endpoint(EndpointPublication(application: application.name, installation: endpoint.installation))
                : nil,
            in: self.directory.store
        )
        return plan.notification.id
    }
}
