// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    public func append(_ events: [EventDraft]) async throws {
        try await self.forward { try await self.base.append(events) }
    }

    /// Asks the store that does the work.
    public func events(
        of app: AppID,
        after cursor: EventCursor?,
        limit: Int,
        kinds: Set<EventKind>?
    ) async throws -> EventPage {
        try await self.forward { try await self.base.events(of: app, after: cursor, limit: limit, kinds: kinds) }
    }

    /// Asks the store that does the work.
    public func latestEvent(of app: AppID) async throws -> EventCursor {
        try await self.forward { try await self.base.latestEvent(of: app) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func pruneEvents(before time: Date, keeping count: Int) async throws -> Int {
        try await self.forward { try await self.base.pruneEvents(before: time, keeping: count) }
    }

    /// Asks the store that does the work.
    public func createWebhook(_ webhook: Webhook) async throws {
        try await self.forward { try await self.base.createWebhook(webhook) }
    }

    /// Asks the store that does the work.
    public func webhook(_ id: WebhookID) async throws -> Webhook? {
        try await self.forward { try await self.base.webhook(id) }
    }

    /// Asks the store that does the work.
    public func webhooks(of app: AppID) async throws -> [Webhook] {
        try await self.forward { try await self.base.webhooks(of: app) }
    }

    /// Asks the store that does the work.
    public func changeWebhook(_ id: WebhookID, _ changes: [WebhookChange], now: Date) async throws -> Webhook? {
        try await self.forward { try await self.base.changeWebhook(id, changes, now: now) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func deleteWebhook(_ id: WebhookID) async throws -> Bool {
        try await self.forward { try await self.base.deleteWebhook(id) }
    }

    /// Asks the store that does the work.
    public func claimWebhooks(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [Webhook] {
        try await self.forward {
            try await self.base.claimWebhooks(limit: limit, worker: worker, leaseDuration: leaseDuration, now: now)
        }
    }

    /// Asks the store that does the work.
    public func settleWebhook(_ settlement: WebhookSettlement, now: Date) async throws -> Webhook {
        try await self.forward { try await self.base.settleWebhook(settlement, now: now) }
    }

    /// Asks the store that does the work.
    public func releaseWebhook(_ id: WebhookID, worker: WorkerID) async throws {
        try await self.forward { try await self.base.releaseWebhook(id, worker: worker) }
    }

    /// Asks the store that does the work.
    public func webhookDeliveries(of webhook: WebhookID, limit: Int) async throws -> [WebhookDelivery] {
        try await self.forward { try await self.base.webhookDeliveries(of: webhook, limit: limit) }
    }
}
