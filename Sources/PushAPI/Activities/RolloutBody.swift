// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How far an activity is started on the devices of an audience, as it is written.
struct RolloutBody: Encodable {
    /// Of the devices that were looked at, those that are not sent a start.
    struct PassedOver: Encodable {
        let withoutToken: Int
        let takingPart: Int
        let otherEnvironment: Int
    }

    let id: RolloutID
    let audience: JSONValue
    let throttle: Int?
    let state: String
    let reason: String?
    let expected: Int?
    let invited: Int
    let passedOver: PassedOver
    let remaining: Int?
    let createdAt: Date
    let endedAt: Date?

    init(_ rollout: ActivityRollout) {
        let progress = rollout.progress
        self.id = rollout.id
        self.audience = rollout.audience.json
        self.throttle = rollout.throttle
        self.state = rollout.state.rawValue
        self.reason = progress.reason
        self.expected = progress.expected
        self.invited = progress.counts.invited
        self.passedOver = PassedOver(
            withoutToken: progress.counts.withoutToken,
            takingPart: progress.counts.takingPart,
            otherEnvironment: progress.counts.otherEnvironment
        )
        self.remaining = progress.remaining
        self.createdAt = rollout.createdAt
        self.endedAt = progress.endedAt
    }
}
