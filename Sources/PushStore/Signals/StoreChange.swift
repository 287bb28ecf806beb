// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// Something happened in the store that others wait for.
public enum StoreChange: Hashable, Sendable {
    /// A batch can be claimed from that lane.
    case batchReady(Lane)

    /// Targets of that batch have their outcome that had none before.
    case batchAdvanced(BatchID)

    /// Every target of that notification has its outcome.
    case notificationSettled(NotificationID)

    /// A batch of that notification has ended, and there are others: more of it may be planned.
    case batchSettled(NotificationID)

    /// Batches of that notification are not to be sent for now, or not at all: whoever sends them stops.
    case halted(NotificationID)

    /// That campaign is to be planned, or its state has changed.
    case campaignChanged(CampaignID)

    /// Something is to be done for Live Activities sooner than before: a transition was planned or moved, or more is to
    /// be sent than was at once.
    case activitiesDue

    /// Something is to be done for jobs sooner than before: one was made, changed or asked for, or a run has ended for which
    /// others wait.
    case jobsDue

    /// The app's feed has new events; follows the signal of what they tell of.
    case eventsAppended(AppID)

    /// A webhook was made, changed or given back: one may be claimable now.
    case webhooksChanged

    /// Something is to be posted to URLs that are subscribed to topics.
    case topicDeliveriesReady

    /// Changes were dropped because this subscriber was slow: look at everything that you wait for.
    case missed
}
