// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What became of one notification to one target, as it is written.
struct OutcomeBody: Encodable {
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

    /// The notification by which it was sent again, where that is looked into.
    var resentAs: NotificationID?

    /// - Parameters:
    ///   - index: the target's place in the request.
    ///   - id: what the caller named it, or `nil`.
    ///   - apnsID: the id under which APNs knows it.
    ///   - recipient: who was to receive it.
    ///   - outcome: what became of it; `nil` while that is not known.
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

/// One outcome with the notification that it is a part of, as it is written.
struct OutcomeWithNotificationBody: Encodable {
    let notification: NotificationID
    let outcome: OutcomeBody

    init(_ outcome: TargetOutcome, in status: NotificationStatus) {
        self.notification = outcome.notification
        self.outcome = OutcomeBody(outcome, in: status)
    }
}
