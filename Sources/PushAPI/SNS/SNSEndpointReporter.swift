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

/// Publishes what became of endpoints to the topics that their applications name for it.
///
/// At least once: what was published and not removed when a process dies is published again once its lease has lapsed.
struct SNSEndpointReporter: Service {
    /// For how many seconds after it happened an event is tried again.
    private static let patience: Double = 24 * 3600

    let store: any EndpointEventStore & TopicStore
    let topics: SNSTopicPublisher
    let worker: WorkerID
    var clock: any Clock<Duration> = ContinuousClock()
    let now: @Sendable () -> Date
    let metrics: any MetricsFactory
    let logger: Logger

    /// What became of an event, as it is counted.
    private enum End: String {
        case published
        /// It is tried again later.
        case again
        /// It has no topic, or cannot be published to it.
        case unpublishable
        /// It could not be published for too long.
        case tooOld = "too-old"
        /// As many waited as may when it happened.
        case queueFull = "queue-full"
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

    /// Counts and logs what a claim found besides events that can be published.
    private func tell(of claim: EndpointEventClaim) {
        if claim.dropped > 0 {
            self.count(.queueFull, by: claim.dropped)
            self.logger.warning(
                "Events of endpoints are dropped, since as many wait as may",
                metadata: ["events.dropped": "\(claim.dropped)", "events.limit": "\(StoredEndpointEvent.maximumCount)"]
            )
        }
        for number in claim.damaged {
            self.count(.corrupt)
            self.logger.error("Quarantined a corrupt endpoint event", metadata: ["event": "\(number)"])
        }
    }

    private func count(_ end: End, by count: Int = 1) {
        Counter(label: "apus_sns_endpoint_events_total", dimensions: [("end", end.rawValue)], factory: self.metrics)
            .increment(by: count)
    }

    /// Publishes an event and removes it; one that fails is left until its lease lapses, and dropped once it is too old, so
    /// that it holds up no other.
    private func settle(_ event: StoredEndpointEvent) async {
        DebugTrap.check(.endpointEvent, "\(event.installation)")
        do {
            var end = End.tooOld
            do {
                end = try await self.publish(event) ? .published : .unpublishable
            } catch {
                guard !Task.isCancelled else { return }
                let isLast = self.now().timeIntervalSince(event.time) > Self.patience
                self.logger.error(
                    isLast ? "An event of an endpoint is dropped" : "An event of an endpoint is not published yet",
                    metadata: [
                        "application": "\(event.application)", "topic.arn": "\(event.topic)", "error": "\(error)",
                    ]
                )
                guard isLast else { return self.count(.again) }
            }
            try await self.store.removeEndpointEvent(event.number, worker: self.worker)
            self.count(end)
        } catch {
            self.logger.error("An event of an endpoint is published once more", metadata: ["error": "\(error)"])
        }
    }

    /// Publishes an event; returns `false` if its topic is gone, or if it cannot be published.
    private func publish(_ event: StoredEndpointEvent) async throws -> Bool {
        guard let arn = try? TopicARN(event.topic, region: nil), let name = arn.modelName,
            let topic = try await self.store.topic(name, of: nil),
            let platform = SNSPlatform(rawValue: event.application.platform),
            let application = ApplicationARN(scope: arn.scope, platform: platform, name: event.application.text)
        else {
            self.logger.warning(
                "An event of an endpoint has no topic to be published to",
                metadata: ["application": "\(event.application)", "topic.arn": "\(event.topic)"]
            )
            return false
        }
        do {
            let endpoint = try EndpointARN(application: application, installation: event.installation)
            let message = EndpointEvent(event.told, of: endpoint, time: event.time.millisecondsSince1970).message
            _ = try await self.topics.publish(SNSMessage(text: message), to: topic, of: nil)
            return true
        } catch let error as SNSError {
            // It would be so the next time as well, and hold up all that follow.
            self.logger.error(
                "An event of an endpoint cannot be published",
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
