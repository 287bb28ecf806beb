// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
import PushModel
import PushStore
import SNSProtocol
import ServiceLifecycle
import Work

/// Publishes events of endpoints to the topics that their applications name.
///
/// Delivery is at least once: after a crash, a published event that was not removed is published again when its lease
/// expires.
struct SNSEndpointEventPublisher: Service {
    /// For how many seconds after it happened an event is tried again.
    private static let patience: Double = 24 * 3600

    let store: any EndpointEventStore & PublicationStore & TopicStore
    let topics: SNSTopicPublisher
    let worker: WorkerID
    var clock: any Clock<Duration> = ContinuousClock()
    let now: @Sendable () -> Date
    let metrics: any MetricsFactory
    let logger: Logger

    /// The result of an event, for the metrics.
    private enum Result: String {
        case published
        /// It is retried later.
        case retried
        /// The topic does not exist, belongs to another app, or rejects the event.
        case topicNotFound = "topic_not_found"
        /// It could not be published for too long.
        case expired
        /// The queue was full when it happened.
        case queueFull = "queue_full"
        /// It cannot be read, and is quarantined.
        case corrupt
    }

    func run() async throws {
        // One portion at a time, so that events are published in their order.
        let loop = ClaimLoop(
            kind: "endpoint events",
            capacity: Slots<[StoredEndpointEvent]>(1),
            pollInterval: .seconds(1),
            clock: self.clock,
            now: self.now,
            logger: self.logger
        ) { _ in
            let claim = try await self.store.claimEndpointEvents(
                limit: 100,
                worker: self.worker,
                leaseDuration: .seconds(60),
                now: self.now()
            )
            self.tell(of: claim)
            return Claimed(claim.events.isEmpty ? [] : [claim.events])
        } process: { events, slot in
            for event in events where !Task.isShuttingDownGracefully && !Task.isCancelled { await self.settle(event) }
            slot.end()
        }
        await loop.run()
    }

    /// Counts and logs the dropped and corrupt events of a claim.
    private func tell(of claim: EndpointEventClaim) {
        if claim.dropped > 0 {
            self.count(.queueFull, by: claim.dropped)
            self.logger.warning(
                "Dropped endpoint events: the queue is full",
                metadata: ["events.dropped": "\(claim.dropped)", "events.limit": "\(StoredEndpointEvent.maximumCount)"]
            )
        }
        for number in claim.damaged {
            self.count(.corrupt)
            self.logger.error("Quarantined a corrupt endpoint event", metadata: ["event": "\(number)"])
        }
    }

    private func count(_ result: Result, by count: Int = 1) {
        let dimensions = [("result", result.rawValue)]
        Counter(label: "apus_sns_endpoint_events_total", dimensions: dimensions, factory: self.metrics)
            .increment(by: count)
    }

    /// Publishes an event and removes it; a failed one is retried when its lease expires, and dropped when it is too
    /// old, so that it does not delay others.
    private func settle(_ event: StoredEndpointEvent) async {
        DebugTrap.check(.endpointEvent, "\(event.installation)")
        do {
            var result = Result.expired
            do {
                result = try await self.publish(event) ? .published : .topicNotFound
            } catch {
                guard !Task.isCancelled else { return }
                let isLast = self.now().timeIntervalSince(event.time) > Self.patience
                self.logger.error(
                    isLast ? "Dropped an endpoint event" : "Failed to publish an endpoint event; retrying",
                    metadata: [
                        "application": "\(event.application)", "topic.arn": "\(event.topic)", "error": "\(error)",
                    ]
                )
                guard isLast else { return self.count(.retried) }
            }
            try await self.store.removeEndpointEvent(event.number, worker: self.worker)
            self.count(result)
        } catch {
            self.logger.error("Failed to remove an endpoint event; republishing", metadata: ["error": "\(error)"])
        }
    }

    /// Publishes an event, not to the subscribers of other apps with its topic.
    ///
    /// - Returns: `false` if the topic is gone or belongs to another app, or if the event cannot be published.
    private func publish(_ event: StoredEndpointEvent) async throws -> Bool {
        guard let arn = try? TopicARN(event.topic, region: nil), let name = arn.modelName,
            let topic = try await self.store.topic(name, of: nil),
            let outline = try await self.store.outline(of: name, app: nil), outline.belongs(to: event.app),
            let platform = SNSPlatform(rawValue: event.application.platform),
            let application = ApplicationARN(scope: arn.scope, platform: platform, name: event.application.text)
        else {
            self.logger.warning(
                "Skipped an endpoint event: the app has no such topic",
                metadata: ["application": "\(event.application)", "topic.arn": "\(event.topic)"]
            )
            return false
        }
        do {
            let endpoint = try EndpointARN(application: application, installation: event.installation)
            let message = EndpointEvent(event.told, of: endpoint, time: event.time.millisecondsSince1970).message
            let isShared = outline.apps.contains { $0 != event.app }
            _ = try await self.topics.publish(SNSMessage(text: message), to: topic, of: isShared ? event.app : nil)
            return true
        } catch let error as SNSError {
            // A retry would fail too, and delay all later events.
            self.logger.error(
                "Skipped an endpoint event: it cannot be published",
                metadata: ["application": "\(event.application)", "error": "\(error)"]
            )
            return false
        }
    }
}

extension StoredEndpointEvent {
    fileprivate var told: EndpointEvent.Kind {
        switch self.kind {
        case .created: .created
        case .updated: .updated
        case .deleted: .deleted
        case .failed: self.failure?.told ?? .deliveryFailure(.invalidPlatformToken)
        }
    }
}

extension EndpointFailure {
    fileprivate var told: EndpointEvent.Kind {
        let id = self.notification.description
        return switch self.kind {
        case .token: .deliveryFailure(.invalidPlatformToken, messageID: id)
        case .expired: .deliveryFailure(.lifetimeExpired, messageID: id)
        case .refused: .deliveryFailure(.permanent, messageID: id, reason: self.reason)
        }
    }
}
