// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

extension SilentStore: CredentialTroubleStore, EventStore, WebhookStore {
    func credentialTroubled(_ trouble: CredentialTrouble, now: Date) async throws -> Bool {
        try await self.base.credentialTroubled(trouble, now: now)
    }
    func credentialRecovered(_ subject: CredentialTrouble.Subject, now: Date) async throws -> Bool {
        try await self.base.credentialRecovered(subject, now: now)
    }

    func append(_ events: [EventDraft]) async throws { try await self.base.append(events) }
    func events(
        of app: AppID,
        after cursor: EventCursor?,
        limit: Int,
        kinds: Set<EventKind>?
    ) async throws -> EventPage {
        try await self.base.events(of: app, after: cursor, limit: limit, kinds: kinds)
    }
    func latestEvent(of app: AppID) async throws -> EventCursor { try await self.base.latestEvent(of: app) }
    func pruneEvents(before time: Date, keeping count: Int) async throws -> Int {
        try await self.base.pruneEvents(before: time, keeping: count)
    }

    func createWebhook(_ webhook: Webhook) async throws { try await self.base.createWebhook(webhook) }
    func webhook(_ id: WebhookID) async throws -> Webhook? { try await self.base.webhook(id) }
    func webhooks(of app: AppID) async throws -> [Webhook] { try await self.base.webhooks(of: app) }
    func changeWebhook(_ id: WebhookID, _ changes: [WebhookChange], now: Date) async throws -> Webhook? {
        try await self.base.changeWebhook(id, changes, now: now)
    }
    func deleteWebhook(_ id: WebhookID) async throws -> Bool { try await self.base.deleteWebhook(id) }
    func claimWebhooks(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [Webhook] {
        try await self.base.claimWebhooks(limit: limit, worker: worker, leaseDuration: leaseDuration, now: now)
    }
    func settleWebhook(_ settlement: WebhookSettlement, now: Date) async throws -> Webhook {
        try await self.base.settleWebhook(settlement, now: now)
    }
    func releaseWebhook(_ id: WebhookID, worker: WorkerID) async throws {
        try await self.base.releaseWebhook(id, worker: worker)
    }
    func webhookDeliveries(of webhook: WebhookID, limit: Int) async throws -> [WebhookDelivery] {
        try await self.base.webhookDeliveries(of: webhook, limit: limit)
    }
}
