// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// What `:resend` has sent again of a notification so far: all of its failures up to a place that may pass.
struct Resends {
    /// The notifications that send a part again, the one that begins first before the others.
    private let parts: [PushModel.Notification]

    /// Takes the notifications that send a part again, the one that begins first before the others.
    init(_ parts: [PushModel.Notification]) {
        self.parts = parts
    }

    /// Whether all was sent again, and nothing is left for another call.
    var areComplete: Bool { self.parts.last.map { $0.resendThrough == nil } ?? false }

    /// Up to which failure was sent again; `nil` where none was, or all were.
    var through: APNsID? { self.parts.last?.resendThrough }

    /// The notification by which a failure was sent again; `nil` where none did, or it cannot be.
    ///
    /// Of a campaign or screening, devices that were gone by then were passed over: that is not known of each.
    func resend(of failure: TargetOutcome) -> NotificationID? {
        guard failure.outcome?.isRetryable == true else { return nil }
        return self.parts.first { $0.resendThrough.map { failure.apnsID <= $0 } ?? true }?.id
    }
}
