// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import PushModel
package import PushStore
import Testing

extension StoreFixtures {
    /// A kind that no version knows.
    package static let newKind = EventType(rawValue: "sushi.served")

    /// An event of the sample app that tells a number.
    package static func event(
        _ number: Int,
        app: AppID = StoreFixtures.app,
        kind: EventType = StoreFixtures.newKind,
        after seconds: Double = 0
    ) -> NewEvent {
        NewEvent(app: app, time: self.after(seconds), kind: kind, data: ["number": .integer(Int64(number))])
    }

    /// A webhook of the sample app.
    package static func webhook(
        _ id: WebhookID = "wh_1",
        kinds: Set<EventType>? = nil,
        cursor: EventCursor = .beginning
    ) throws -> Webhook {
        Webhook(
            id: id,
            app: self.app,
            url: try WebhookURL(validating: "https://hooks.example.com/\(id)?a=b"),
            kinds: kinds,
            sealedSecret: [0, 1, 2, 255],
            createdAt: self.now,
            cursor: cursor
        )
    }

    /// What a worker says of a request.
    package static func settlement(
        of webhook: WebhookID = "wh_1",
        worker: WorkerID = StoreFixtures.worker,
        _ result: WebhookDeliveryUpdate.Result,
        keeping leaseDuration: Duration? = nil
    ) -> WebhookDeliveryUpdate {
        WebhookDeliveryUpdate(webhook: webhook, worker: worker, result: result, leaseDuration: leaseDuration)
    }

    /// A failure after which a minute is waited, of a webhook that is disabled after an hour.
    package static func failure(_ cursor: EventCursor, isGone: Bool = false) -> WebhookDeliveryUpdate.Result {
        .failed(.init(cursor: cursor, isGone: isGone, retryAfter: .seconds(60), disableAfter: .seconds(3600)))
    }
}

extension EventStore {
    /// All events of the sample app that are kept, page by page.
    package func allEvents(
        of app: AppID = StoreFixtures.app,
        after cursor: EventCursor? = nil,
        kinds: Set<EventType>? = nil,
        limit: Int = 100
    ) async throws -> [Event] {
        var events: [Event] = []
        var cursor = cursor
        while true {
            let page = try await self.events(of: app, after: cursor, limit: limit, kinds: kinds)
            #expect(page.events.count <= limit, "a page has \(page.events.count) events")
            events += page.events
            cursor = page.next
            if !page.hasMore { return events }
        }
    }
}

extension Event {
    /// The number that a sample event tells.
    package var number: Int? {
        guard case .integer(let number)? = self.data["number"] else { return nil }
        return Int(number)
    }
}

extension WebhookStore {
    /// Claims with a lease of 60 seconds.
    package func claimWebhooks(
        limit: Int = 10,
        by worker: WorkerID = StoreFixtures.worker,
        now: Date = StoreFixtures.now
    ) async throws -> [Webhook] {
        try await self.claimWebhooks(limit: limit, worker: worker, leaseDuration: .seconds(60), now: now)
    }
}
