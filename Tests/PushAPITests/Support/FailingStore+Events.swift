// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

extension FailingStore: CredentialTroubleStore, EventStore, WebhookStore {
    func credentialTroubled(_ trouble: CredentialTrouble, now: Date) async throws -> Bool { throw self.error }
    func credentialRecovered(_ subject: CredentialTrouble.Subject, now: Date) async throws -> Bool { throw self.error }

    func append(_ events: [EventDraft]) async throws { throw self.error }
    func events(
        of app: AppID,
        after cursor: EventCursor?,
        limit: Int,
        kinds: Set<EventKind>?
    ) async throws -> EventPage { throw self.error }
    func latestEvent(of app: AppID) async throws -> EventCursor { throw self.error }
    func pruneEvents(before time: Date, keeping count: Int) async throws -> Int { throw self.error }

    func createWebhook(_ webhook: Webhook) async throws { throw self.error }
    func webhook(_ id: WebhookID) async throws -> Webhook? { throw self.error }
    func webhooks(of app: AppID) async throws -> [Webhook] { throw self.error }
    func changeWebhook(_ id: WebhookID, _ changes: [WebhookChange], now: Date) async throws -> Webhook? {
        throw self.error
    }
    func deleteWebhook(_ id: WebhookID) async throws -> Bool { throw self.error }
    func claimWebhooks(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [Webhook] { throw self.error }
    func settleWebhook(_ settlement: WebhookSettlement, now: Date) async throws -> Webhook { throw self.error }
    func releaseWebhook(_ id: WebhookID, worker: WorkerID) async throws { throw self.error }
    func webhookDeliveries(of webhook: WebhookID, limit: Int) async throws -> [WebhookDelivery] { throw self.error }
}
