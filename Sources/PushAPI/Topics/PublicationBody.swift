// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import Topics

/// What a publication came to for an app, as it is written: nothing, a notification, or a campaign.
struct PublicationBody: Encodable {
    let topic: String
    var notification: NotificationBody?
    var campaign: CampaignBody?

    init(_ receipt: PublicationReceipt, topic: TopicName) {
        self.topic = topic.rawValue
        switch receipt.parts.first {
        case .notification(let notification, let batches)?:
            let statuses = batches.map { batch in
                BatchStatus(
                    id: batch.id,
                    ordinal: batch.ordinal,
                    lifecycle: PlannedBatch(batch: batch).lifecycle,
                    counts: OutcomeCounts()
                )
            }
            self.notification = NotificationBody(NotificationStatus(notification: notification, batches: statuses))
        case .campaign(let campaign)?:
            let status = CampaignStatus(
                campaign: campaign,
                lifecycle: CampaignLifecycle(campaign),
                counts: OutcomeCounts()
            )
            self.campaign = CampaignBody(status)
        case nil: break
        }
    }
}
