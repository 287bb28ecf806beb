// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Names a campaign, and by the same 16 bytes the notification that it sends.
///
/// Campaigns sort by the time at which they were created.
public struct CampaignID: TimeOrderedIdentifier {
    /// The id as 16 bytes.
    public let value: APNsID

    /// Takes any 16 bytes as an id.
    public init(_ value: APNsID) {
        self.value = value
    }

    /// The notification that the campaign sends: its batches, outcomes and failures are found under that name.
    public var notification: NotificationID { NotificationID(self.value) }
}
