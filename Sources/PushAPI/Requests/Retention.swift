// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
import PushModel
import PushStore
import Synchronization
import Work

/// Prunes records by age, at intervals, in transactions of a limited size.
struct Retention: Sendable {
    /// The most rows that one transaction deletes.
    ///
    /// Others may wait for it. A notification counts with all its rows.
    private static let rowsAtOnce = 1000

    /// The store bounds the number of chunks that go with these.
    private static let streamsAtOnce = 100

    let store:
        any ActivityStore & AuditStore & EventStore & IdempotencyStore & RetentionStore & StreamStore & TopicStore
    let configuration: PushAPIConfiguration

    var rules: [PruneRule] {
        let hour = Duration.seconds(3600)
        var rules = [
            PruneRule("events", every: .seconds(60), steps: self.events),
            PruneRule("requests", every: .seconds(600), steps: self.records, self.streams, self.subscriptions),
        ]
        if let lifetime = self.configuration.notificationRetention {
            // Chunks first, because they name the notifications that their lines became.
            rules.append(
                PruneRule(
                    "notifications",
                    every: hour,
                    initialDelay: hour,
                    rest: 4,
                    steps: { .init(["chunk": try await self.store.pruneChunks(before: $0.before(lifetime))]) },
                    { try await self.notifications(settledBefore: $0.before(lifetime)) },
                    { try await self.activities(overBefore: $0.before(lifetime)) }
                )
            )
        }
        if let lifetime = self.configuration.auditRetention {
            rules.append(
                PruneRule(
                    "audit",
                    every: .seconds(5400),
                    initialDelay: .seconds(5400),
                    steps: { try await self.auditLog(before: $0.before(lifetime)) }
                )
            )
        }
        let pass = DevicePruningPass(store: self.store, configuration: self.configuration)
        rules.append(
            PruneRule(
                "devices",
                every: .seconds(45_000),
                initialDelay: .seconds(5400),
                rest: 4,
                steps: pass.devices,
                pass.startTokens
            )
        )
        return rules
    }

    private func events(now: Date) async throws -> PruneRule.Deleted {
        let end = now.before(self.configuration.eventRetention)
        let count = try await self.store.pruneEvents(before: end, keeping: self.configuration.maximumEvents)
        return .init(["event": count])
    }

    private func records(now: Date) async throws -> PruneRule.Deleted {
        let end = now.before(IdempotencyRecord.lifetime)
        let count = try await self.store.removeIdempotencyRecords(before: end, limit: Self.rowsAtOnce)
        return .init(["idempotency_record": count], hasMore: count == Self.rowsAtOnce)
    }

    private func streams(now: Date) async throws -> PruneRule.Deleted {
        let end = now.before(StreamChunk.lifetime)
        let removed = try await self.store.removeStreams(before: end, limit: Self.streamsAtOnce)
        return .init(["stream": removed.count], hasMore: removed.hasMore)
    }

    private func subscriptions(now: Date) async throws -> PruneRule.Deleted {
        let end = now.before(Subscription.pendingLifetime)
        return .init(hasMore: try await self.store.pruneTopics(pendingBefore: end, limit: Self.rowsAtOnce))
    }

    private func notifications(settledBefore end: Date) async throws -> PruneRule.Deleted {
        let pruned = try await self.store.pruneNotifications(settledBefore: end, limit: Self.rowsAtOnce)
        return .init(["notification": pruned.notifications, "batch": pruned.batches], hasMore: pruned.hasMore)
    }

    private func auditLog(before end: Date) async throws -> PruneRule.Deleted {
        let pruned = try await self.store.pruneAuditLog(before: end, limit: Self.rowsAtOnce)
        return .init(["audit_entry": pruned.count], hasMore: pruned.hasMore)
    }

    private func activities(overBefore end: Date) async throws -> PruneRule.Deleted {
        let pruned = try await self.store.removeActivities(overBefore: end, limit: Self.rowsAtOnce)
        return .init(["activity": pruned.count], hasMore: pruned.hasMore)
    }
}

/// Removes old devices and orphaned push-to-start tokens, part by part, and remembers how far it has come.
private final class DevicePruningPass: Sendable {
    /// How long a push-to-start token waits for the registration of its device.
    private static let orphanLifetime = Duration.seconds(7 * 24 * 3600)

    private let store: any RetentionStore
    private let inactive: Duration?
    private let invalid: Duration?
    private let positions = Mutex<(device: DevicePosition?, token: StartTokenPosition?)>((nil, nil))

    init(store: any RetentionStore, configuration: PushAPIConfiguration) {
        self.store = store
        self.inactive = configuration.inactiveDeviceRetention
        self.invalid = configuration.invalidDeviceRetention
    }

    func devices(now: Date) async throws -> PruneRule.Deleted {
        guard self.inactive != nil || self.invalid != nil else { return .init() }
        let rule = DeviceRetention(
            inactiveSince: self.inactive.map(now.before),
            invalidSince: self.invalid.map(now.before)
        )
        let part = try await self.store.pruneDevices(rule, after: self.positions.withLock { $0.device })
        self.positions.withLock { $0.device = part.next }
        return .init(["device": part.count], hasMore: part.next != nil)
    }

    func startTokens(now: Date) async throws -> PruneRule.Deleted {
        let part = try await self.store.pruneStartTokens(
            issuedBefore: now.before(Self.orphanLifetime),
            after: self.positions.withLock { $0.token }
        )
        self.positions.withLock { $0.token = part.next }
        return .init(["push_to_start_token": part.count], hasMore: part.next != nil)
    }
}

extension Date {
    fileprivate func before(_ age: Duration) -> Date { self.addingTimeInterval(-(age / .seconds(1))) }
}

extension Pruner {
    /// Applies the retention rules, and counts the deleted records.
    init(
        _ retention: Retention,
        metrics: any MetricsFactory,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date,
        logger: Logger
    ) {
        let resources = [
            "notification", "batch", "chunk", "stream", "idempotency_record", "event", "activity", "audit_entry",
            "device", "push_to_start_token",
        ]
        let counters = resources.map { resource in
            let dimensions = [("resource", resource)]
            return (resource, Counter(label: "apus_store_pruned_total", dimensions: dimensions, factory: metrics))
        }
        let counter = Dictionary(uniqueKeysWithValues: counters)
        self.init(retention.rules, clock: clock, now: now, logger: logger) { counter[$0]?.increment(by: $1) }
    }
}
