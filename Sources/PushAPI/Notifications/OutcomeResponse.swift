// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// The outcome of a notification for one target, as returned by the API.
struct OutcomeResponse: JSONWritable {
    let index: Int
    let id: String?
    let apnsID: APNsID
    let token: DeviceToken
    let environment: APNsEnvironment
    let device: String?
    let user: String?
    let state: String
    let status: Int?
    let reason: String?
    let code: String?
    let inactiveSince: Date?

    /// The notification that resent it, if this was queried.
    var resentBy: NotificationID?

    /// The outcome is `nil` while it is unknown.
    init(index: Int, id: String? = nil, apnsID: APNsID, recipient: Recipient, outcome: Outcome?) {
        self.index = index
        self.id = id
        self.apnsID = apnsID
        self.token = recipient.target.token
        self.environment = recipient.target.environment
        self.device = recipient.device?.rawValue
        self.user = recipient.user?.rawValue
        var rejection: Rejection?
        var failure: FailureCode?
        switch outcome {
        case nil: self.state = "pending"
        case .delivered: self.state = "delivered"
        case .rejected(let found): (self.state, rejection) = ("rejected", found)
        case .failed(let found): (self.state, failure) = ("failed", found)
        }
        self.status = rejection?.status
        self.reason = rejection?.reason.rawValue
        self.code = failure?.rawValue
        self.inactiveSince = rejection?.inactiveSince.map(Date.init(millisecondsSince1970:))
    }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("apnsID", self.apnsID.description)
            writer.member("code", self.code)
            writer.member("device", self.device)
            writer.member("environment", self.environment.rawValue)
            writer.member("id", self.id)
            writer.member("inactiveSince", self.inactiveSince)
            writer.member("index", self.index)
            writer.member("reason", self.reason)
            writer.member("resentBy", self.resentBy?.description)
            writer.member("state", self.state)
            writer.member("status", self.status)
            writer.member("token", self.token.hex)
            writer.member("user", self.user)
        }
    }

    /// An outcome that the store found, in a notification of this standing.
    init(_ outcome: TargetOutcome, in status: NotificationStatus) {
        let (batch, index) = BatchID.locate(outcome.apnsID)
        let before = status.batches.prefix { $0.id != batch }.reduce(0) { $0 + $1.lifecycle.targetCount }
        self.init(
            index: before + index,
            apnsID: outcome.apnsID,
            recipient: Recipient(target: outcome.target),
            outcome: outcome.outcome
        )
    }
}

/// One outcome with the notification that it is a part of, as returned by the API.
struct OutcomeWithNotificationResponse: JSONWritable {
    let notification: NotificationID
    let outcome: OutcomeResponse

    init(_ outcome: TargetOutcome, in status: NotificationStatus) {
        self.notification = outcome.notification
        self.outcome = OutcomeResponse(outcome, in: status)
    }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("notification", self.notification.description)
            writer.member("outcome", self.outcome)
        }
    }
}

extension BatchedNotification {
    /// Whether the response to a waiting request has every outcome.
    var isSmall: Bool { self.batches.count == 1 && self.batches[0].targets.count <= PageRequest.limits.upperBound }

    /// The status of the plan before any worker has claimed its batches.
    var status: NotificationStatus {
        let batches = self.batches.map { batch in
            BatchStatus(
                id: batch.id,
                ordinal: batch.ordinal,
                lifecycle: BatchLifecycle(targetCount: batch.targets.count, expiresAt: batch.expiresAt),
                counts: OutcomeCounts()
            )
        }
        return NotificationStatus(notification: self.notification, batches: batches)
    }

    /// Returns the outcome of every target, in the order of the targets.
    ///
    /// `failures` must have all failures: a settled target without a failure counts as delivered.
    func outcomes(
        _ status: NotificationStatus,
        failures: [TargetOutcome],
        recipients: Recipients
    ) -> [OutcomeResponse] {
        let failures = Dictionary(failures.map { ($0.apnsID, $0.outcome) }) { first, _ in first }
        let lifecycles = Dictionary(status.batches.map { ($0.id, $0.lifecycle) }) { first, _ in first }
        return recipients.elements.enumerated().map { index, recipient in
            let batch = self.batches[index / Batch.maximumTargets].id
            let place = index % Batch.maximumTargets
            let id = batch.apnsID(at: place)
            var outcome = failures[id] ?? nil
            if outcome == nil, let lifecycle = lifecycles[batch] {
                outcome = lifecycle.isSettled(place) ? .delivered : lifecycle.remainder.map(Outcome.failed)
            }
            return OutcomeResponse(index: index, apnsID: id, recipient: recipient, outcome: outcome)
        }
    }
}
